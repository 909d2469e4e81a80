package io.verbena.outcome;

import static io.verbena.outcome.Case.of;
import static io.verbena.outcome.Scene.answer;
import static io.verbena.outcome.Scene.attempt;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import java.time.Duration;
import java.util.List;

/** The ends of connections and queue pairs. */
final class ClosingCases {

    private ClosingCases() {}

    static final List<Case> ALL = List.of(
            of("disconnect", "CLOSED and CLOSED", s -> {
                s.connect();
                s.fromA().disconnect();
                return s.ends();
            }),
            of("disconnect twice", "done; CLOSED and CLOSED", s -> {
                s.connect();
                s.fromA().disconnect();
                return attempt(() -> s.fromA().disconnect()) + "; " + s.ends();
            }),
            of(
                    "disconnect with receives on both sides",
                    "CLOSED and CLOSED; 1 RECEIVE FLUSHED, 2 RECEIVE FLUSHED; peer 3 RECEIVE FLUSHED",
                    s -> {
                        s.a.receive(1, 8);
                        s.a.receive(2, 8);
                        s.b.receive(3, 8);
                        s.connect();
                        s.fromA().disconnect();
                        return s.ends() + "; " + s.a.takes(2) + "; peer " + s.b.takes(1);
                    }),
            of("disconnect after a Send", "CLOSED and CLOSED; 1 SEND SUCCESS; peer 9 RECEIVE SUCCESS", s -> {
                s.connect();
                s.b.receive(9, 8);
                s.a.send(1, 8);
                s.fromA().disconnect();
                return s.ends() + "; " + s.a.takes(1) + "; peer " + s.b.takes(1);
            }),
            of(
                    "disconnect after a delay and a Send",
                    "CLOSED and CLOSED; 1 DELAY SUCCESS, 2 SEND SUCCESS; peer 9 RECEIVE SUCCESS",
                    s -> {
                        s.connect();
                        s.b.receive(9, 8);
                        s.a.post(s.a.qp.newWorkRequest().delay(5_000_000), 1);
                        s.a.send(2, 8);
                        s.fromA().disconnect();
                        return s.ends() + "; " + s.a.takes(2) + "; peer " + s.b.takes(1);
                    }),
            of("Send after disconnect", "1 SEND FLUSHED", s -> {
                s.connect();
                s.fromA().disconnect();
                s.ends();
                s.a.send(1, 8);
                return s.a.takes(1);
            }),
            of("a receive after disconnect", "1 RECEIVE FLUSHED", s -> {
                s.connect();
                s.fromA().disconnect();
                s.ends();
                s.a.receive(1, 8);
                return s.a.takes(1);
            }),
            of("Send of the other side after disconnect", "1 SEND FLUSHED", s -> {
                s.connect();
                s.fromA().disconnect();
                s.ends();
                s.b.send(1, 8);
                return s.b.takes(1);
            }),
            of("close a connection", "CLOSED and CLOSED", s -> {
                s.connect();
                s.fromA().close();
                return s.ends();
            }),
            of("close a connection that is being set up", "FAILED 0", s -> {
                ConnectionRequest request = s.request(ConnectionOptions.defaults());
                s.fromA().close();
                return answer(s.fromA()::state) + " " + (request.privateData().length);
            }),
            of("close a connected queue pair", "FAILED and FAILED; peer 9 RECEIVE FLUSHED", s -> {
                s.b.receive(9, 8);
                s.connect();
                s.a.qp.close();
                return s.ends() + "; peer " + s.b.takes(1);
            }),
            of("the receives of a closed queue pair", "1 RECEIVE FLUSHED", s -> {
                s.a.receive(1, 8);
                s.connect();
                s.a.qp.close();
                return s.a.takesNothing();
            }),
            of("the work of a closed queue pair", "1 DELAY FLUSHED", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().delay(5_000_000_000L), 1);
                s.a.send(2, 8);
                s.a.qp.close();
                return s.a.takesNothing();
            }),
            of("the receives of an unconnected queue pair that is closed", "1 RECEIVE FLUSHED", s -> {
                s.a.receive(1, 8);
                s.a.qp.close();
                return s.a.takesNothing();
            }),
            of("wait for the end of an open connection", "false", s -> {
                s.connect();
                return answer(() -> s.fromA().awaitClosed(Duration.ofMillis(2)));
            }),
            of("connect a queue pair again after its connection ended", "IllegalStateException", s -> {
                s.connect();
                s.fromA().disconnect();
                s.ends();
                Listener listener = s.listen();
                return attempt(
                        () -> s.a.rnic.startConnect(s.a.qp, listener.localAddress(), ConnectionOptions.defaults()));
            }),
            of("the reason of a graceful end", "false", s -> {
                s.connect();
                s.fromA().disconnect();
                s.ends();
                return answer(() -> s.fromA().reason().isEmpty());
            }),
            of("the reason of a failure", "false", s -> {
                s.connect();
                s.a.post(s.a.qp.newWorkRequest().localInvalidate(5), 1);
                s.ends();
                return answer(() -> s.fromA().reason().isEmpty());
            }),
            of("the events of a graceful end", "CLOSE_COMPLETE CLOSE_COMPLETE", s -> {
                s.connect();
                s.a.rnic.pollAsyncEvents(Duration.ZERO);
                s.fromA().disconnect();
                s.ends();
                return s.event(s.a, AsyncEventType.CLOSE_COMPLETE) + " " + s.event(s.b, AsyncEventType.CLOSE_COMPLETE);
            }));
}
