package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Rnic;
import java.time.Duration;
import java.util.List;

/** The end of an RNIC. */
final class RnicEndCases {

    private RnicEndCases() {}

    static final List<Case> ALL = List.of(
            of(
                    "close an RNIC twice",
                    "done",
                    s -> attempt(() -> {
                        Rnic rnic = s.open();
                        rnic.close();
                        rnic.close();
                    })),
            of("allocate a domain of a closed RNIC", "IllegalStateException", s -> {
                Rnic rnic = s.open();
                rnic.close();
                return attempt(rnic::allocateProtectionDomain);
            }),
            of("create a CQ of a closed RNIC", "IllegalStateException", s -> {
                Rnic rnic = s.open();
                rnic.close();
                return attempt(() -> rnic.createCompletionQueue(8));
            }),
            of("listen with a closed RNIC", "IllegalStateException", s -> {
                Rnic rnic = s.open();
                rnic.close();
                return attempt(() -> rnic.listen(Scene.anyPort()));
            }),
            of("query a closed RNIC", "0", s -> {
                Rnic rnic = s.open();
                rnic.close();
                return answer(() -> rnic.query().completionHandlersInUse());
            }),
            of("poll the events of a closed RNIC", "[]", s -> {
                Rnic rnic = s.open();
                rnic.close();
                return answer(() -> rnic.pollAsyncEvents(Duration.ofMillis(2)));
            }),
            of("progress of a closed RNIC", "0", s -> {
                Rnic rnic = s.open();
                rnic.close();
                return answer(rnic::progress);
            }),
            of("memory of a closed RNIC", "false", s -> {
                Rnic rnic = s.open();
                MemoryRegion region = rnic.allocateProtectionDomain().allocate(8);
                rnic.close();
                return answer(region::valid);
            }),
            of("post to a queue pair of a closed RNIC", "IllegalStateException", s -> {
                Rnic rnic = s.open();
                Side side = new Side(rnic);
                rnic.close();
                return attempt(() -> side.send(1, 8));
            }),
            of("poll a CQ of a closed RNIC", "false", s -> {
                Rnic rnic = s.open();
                Side side = new Side(rnic);
                rnic.close();
                return answer(side.cursor::next);
            }),
            of("await on a CQ of a closed RNIC", "false", s -> {
                Rnic rnic = s.open();
                Side side = new Side(rnic);
                rnic.close();
                return answer(() -> side.cq.await(Duration.ofMillis(2)));
            }),
            of("a queue pair of a closed RNIC closes", "done", s -> {
                Rnic rnic = s.open();
                Side side = new Side(rnic);
                rnic.close();
                return attempt(side.qp::close);
            }),
            of("wait for a request when the RNIC has closed", "Optional.empty", s -> {
                Rnic rnic = s.open();
                Listener listener = rnic.listen(Scene.anyPort());
                rnic.close();
                return answer(() -> listener.nextRequest(Duration.ofSeconds(5)));
            }),
            of("connect to a listener of a closed RNIC", "ConnectionException", s -> {
                Rnic rnic = s.open();
                Listener listener = rnic.listen(Scene.anyPort());
                var there = listener.localAddress();
                rnic.close();
                ConnectionOptions options = ConnectionOptions.defaults().withTimeout(Duration.ofMillis(40));
                return answer(() -> s.a.rnic.connect(s.a.qp, there, options)).split(" ", 2)[0];
            }),
            of("the RNIC of the peer closes", "CLOSED; 1 RECEIVE FLUSHED", s -> {
                Rnic rnic = s.open();
                Scene other = new Scene(s.provider, s.a.rnic, rnic);
                other.a.receive(1, 8);
                other.connect();
                rnic.close();
                other.fromA().awaitClosed(Scene.PATIENCE);
                return answer(() -> other.fromA().state() + "; " + other.a.takes(1));
            }));
}
