package io.verbena.tools.perf;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.WrFlags;
import java.time.Duration;

/** The server's part of a run, until the client ends it. Allocates nothing per message. */
final class ServerLoop {

    private static final int SIGNAL_EACH = 32;
    private static final int CHECK_EACH = 1024;
    private static final Duration SLICE = Duration.ofMillis(100);
    private static final String WHAT = "the next message of the client";

    private final PerfSession session;
    private final PerfMessage.Start run;
    private final Patience patience;
    private final long timeoutNs;
    private long messages;

    ServerLoop(PerfSession session, PerfMessage.Start run, Duration timeout) {
        this.session = session;
        this.run = run;
        this.patience = session.patience();
        this.timeoutNs = Times.nanos(timeout);
    }

    /** Number of received messages, if they complete here. */
    long messages() {
        return messages;
    }

    /** Returns after a control message has arrived. */
    void serve() throws Failure {
        patience.moved();
        switch (run.op()) {
            case WRITE_LAT -> answerWrites();
            case SEND_LAT, SEND_BW -> takeSends(run.op() == PerfOp.SEND_LAT);
            default -> standBy();
        }
    }

    private void answerWrites() throws Failure {
        PerfLink link = session.links()[0];
        int bytes = run.sizeBytes();
        boolean inline = session.inline();
        while (true) {
            byte flag = (byte) (messages + 1);
            while (!link.flagCame(bytes, flag)) {
                if (inline) {
                    session.rnic().progress();
                }
                if (patience.awaitMemory(WHAT)) {
                    drain();
                    if (session.hasMail()) {
                        return;
                    }
                }
            }
            onMessage();
            link.flagToSend(bytes, flag);
            while (!link.postWrite(bytes, flags())) {
                drain();
                patience.awaitMemory("space in the send queue");
            }
            if (messages % SIGNAL_EACH == 0) {
                drain();
            }
        }
    }

    /** Messages are answered, or counted for credit. */
    private void takeSends(boolean answer) throws Failure {
        while (!session.hasMail()) {
            if (!session.poll(WHAT)) {
                if (!session.hasMail()) {
                    patience.awaitCompletion(WHAT);
                }
                continue;
            }
            if (session.cursor().opcode() != CompletionOpcode.RECEIVE) {
                continue;
            }
            PerfLink link = session.link();
            onMessage();
            link.postReceive();
            if (!answer) {
                link.onMessage();
                continue;
            }
            while (!link.postPing(run.sizeBytes(), flags())) {
                patience.awaitMemory("space in the send queue");
            }
        }
    }

    /** The RNIC does it all. */
    private void standBy() throws Failure {
        long beginNs = System.nanoTime();
        while (!session.hasMail()) {
            if (session.poll(WHAT) || session.hasMail()) {
                continue;
            }
            if (!session.awaitWork(SLICE)) {
                session.stop().check();
                if (System.nanoTime() - beginNs > run.limitNs() + timeoutNs) {
                    throw new Failure("The client did not end its run within "
                            + Figures.seconds(Duration.ofNanos(run.limitNs() + timeoutNs)));
                }
            }
        }
    }

    private void onMessage() {
        patience.moved();
        if (++messages % CHECK_EACH == 0) {
            session.stop().check();
        }
    }

    private WrFlags flags() {
        return messages % SIGNAL_EACH == 0 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
    }

    private void drain() throws Failure {
        while (session.poll(WHAT)) {
            // Our own Writes; a client's Sends have no place here and end with its receives.
        }
    }
}
