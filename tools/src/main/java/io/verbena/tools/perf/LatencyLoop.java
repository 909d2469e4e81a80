package io.verbena.tools.perf;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Latencies;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.WrFlags;

/** The client's part of a latency run: one message at a time, on the first connection. Makes no object per message. */
final class LatencyLoop {

    /** If no side waits for the completion, one in this many messages requests one. */
    private static final int SIGNAL_EACH = 32;

    private static final String WHAT = "an answer";

    private final PerfSession session;
    private final PerfLink link;
    private final Patience patience;
    private final PerfRun run;
    private final Latencies latencies = new Latencies();

    LatencyLoop(PerfSession session, PerfRun run) {
        this.session = session;
        this.link = session.links()[0];
        this.patience = session.patience();
        this.run = run;
    }

    /** The spans that were measured. */
    Latencies latencies() {
        return latencies;
    }

    /** Messages after which, or nanoseconds after which, the run ends: whichever comes first. */
    void measure(ProgressBar bar) throws Failure {
        long beginNs = System.nanoTime();
        long beforeNs = beginNs;
        int parts = run.op().halved() ? 2 : 1;
        for (long i = 1; i <= run.messages(); i++) {
            exchange(i);
            long nowNs = System.nanoTime();
            latencies.record((nowNs - beforeNs) / parts);
            beforeNs = nowNs;
            if (nowNs - beginNs >= run.durationNs()) {
                break;
            }
            if (i % 1024 == 0) {
                session.stop().check();
                bar.update(BandwidthLoop.done(run, i, nowNs - beginNs), nowNs);
                beforeNs = System.nanoTime();
            }
        }
    }

    private void exchange(long number) throws Failure {
        switch (run.op()) {
            case WRITE_LAT -> write(number);
            case SEND_LAT -> send(number);
            case READ_LAT -> {
                while (!link.postRead(run.sizeBytes(), WrFlags.SIGNALLED)) {
                    idle();
                }
                awaitCompletion();
            }
            default -> {
                while (!link.postFetchAndAdd(WrFlags.SIGNALLED)) {
                    idle();
                }
                awaitCompletion();
            }
        }
    }

    private void write(long number) throws Failure {
        byte flag = (byte) number;
        link.flagToSend(run.sizeBytes(), flag);
        while (!link.postWrite(run.sizeBytes(), flags(number))) {
            idle();
        }
        boolean inline = session.inline();
        while (!link.flagCame(run.sizeBytes(), flag)) {
            if (inline) {
                session.rnic().progress();
            }
            if (patience.awaitMemory(WHAT)) {
                drain();
            }
        }
        patience.moved();
        if (number % SIGNAL_EACH == 0) {
            drain();
        }
    }

    private void send(long number) throws Failure {
        while (!link.postPing(run.sizeBytes(), flags(number))) {
            idle();
        }
        while (true) {
            if (!session.poll(WHAT)) {
                patience.awaitCompletion(WHAT);
            } else if (session.cursor().opcode() == CompletionOpcode.RECEIVE) {
                link.postReceive();
                if (session.cursor().byteCount() > 0) {
                    break;
                }
                link.onCredit();
            } else {
                link.onCompleted(session.cursor().wrId());
            }
        }
        patience.moved();
    }

    private static WrFlags flags(long number) {
        return number % SIGNAL_EACH == 0 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
    }

    private void awaitCompletion() throws Failure {
        while (!session.poll(WHAT)) {
            patience.awaitCompletion(WHAT);
        }
        link.onCompleted(session.cursor().wrId());
        patience.moved();
    }

    /** The send queue is full. */
    private void idle() throws Failure {
        drain();
        patience.awaitMemory("space in the send queue");
    }

    private void drain() throws Failure {
        while (session.poll(WHAT)) {
            link.onCompleted(session.cursor().wrId());
        }
    }
}
