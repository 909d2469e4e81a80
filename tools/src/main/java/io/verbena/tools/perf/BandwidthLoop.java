package io.verbena.tools.perf;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.WrFlags;
import java.util.Optional;

/**
 * The client's part of a bandwidth run: keeps every connection's send queue filled to the depth, posting whole batches.
 * Makes no object per message.
 *
 * <p>A Write or Send is complete here when its bytes are on their way. So a Read of one byte follows the last of them on each
 * connection: it is answered when the peer has placed everything before it (RFC 5040 section 5.5), and then the run
 * is over.
 */
final class BandwidthLoop {

    private static final int MOST_UNSIGNALLED = 32;
    private static final int CHECK_EACH = 64;
    private static final String WHAT = "the completion of messages";

    private final PerfSession session;
    private final PerfLink[] links;
    private final Patience patience;
    private final PerfRun run;
    private final int depth;
    private final int batch;
    private final int signalEach;
    private final Optional<Timeline> timeline;
    private long posted;

    BandwidthLoop(PerfSession session, PerfRun run, Optional<Timeline> timeline) {
        this.timeline = timeline;
        this.session = session;
        this.links = session.links();
        this.patience = session.patience();
        this.run = run;
        this.depth = run.depth();
        this.batch = Math.min(run.batch(), depth);
        // Messages behind the last signalled one must leave room for a whole batch, or nothing would move any more.
        this.signalEach = timeline.isPresent()
                ? 1
                : Math.clamp(depth - batch + 1, 1, Math.min(MOST_UNSIGNALLED, Math.max(1, depth / 2)));
    }

    /** How far a run is, in thousandths. */
    static long done(PerfRun run, long messages, long elapsedNs) {
        double byCount = (double) messages / run.messages();
        double byTime = (double) elapsedNs / run.durationNs();
        return Math.round(1000 * Math.max(byCount, byTime));
    }

    /** Messages that were posted; after {@link #measure} they are all with the peer. */
    long messages() {
        return posted;
    }

    void measure(ProgressBar bar) throws Failure {
        long beginNs = System.nanoTime();
        int passes = 0;
        while (posted < run.messages()) {
            boolean moved = false;
            for (PerfLink link : links) {
                moved |= post(link);
            }
            moved |= drain();
            if (moved) {
                patience.moved();
            } else {
                patience.awaitCompletion(WHAT);
            }
            long nowNs = System.nanoTime();
            if (timeline.isPresent()) {
                timeline.get().at(nowNs - beginNs, completed() * run.sizeBytes());
            }
            if (nowNs - beginNs >= run.durationNs()) {
                break;
            }
            if (++passes % CHECK_EACH == 0) {
                session.stop().check();
                bar.update(done(run, posted, nowNs - beginNs), nowNs);
            }
        }
        flush();
    }

    private long completed() {
        long count = posted;
        for (PerfLink link : links) {
            count -= link.outstanding();
        }
        return count;
    }

    private boolean post(PerfLink link) {
        int wanted = (int) Math.min(batch, run.messages() - posted);
        int room = depth - link.outstanding();
        if (run.op() == PerfOp.SEND_BW) {
            room = Math.min(room, link.credits());
        }
        if (wanted <= 0 || room < wanted) {
            return false;
        }
        if (wanted > 1) {
            link.queuePair().startBatch();
        }
        int taken = 0;
        while (taken < wanted && postOne(link)) {
            taken++;
        }
        if (wanted > 1) {
            link.queuePair().ringDoorbell();
        }
        posted += taken;
        return taken > 0;
    }

    private boolean postOne(PerfLink link) {
        WrFlags flags = (link.posted() + 1) % signalEach == 0 ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED;
        return switch (run.op()) {
            case WRITE_BW -> link.postWrite(run.sizeBytes(), flags);
            case READ_BW -> link.postRead(run.sizeBytes(), flags);
            default -> link.postSend(run.sizeBytes(), flags);
        };
    }

    private boolean drain() throws Failure {
        boolean any = false;
        while (session.poll(WHAT)) {
            any = true;
            PerfLink link = session.link();
            if (session.cursor().opcode() == CompletionOpcode.RECEIVE) {
                link.postReceive();
                link.onCredit();
            } else {
                link.onCompleted(session.cursor().wrId());
            }
        }
        return any;
    }

    private void flush() throws Failure {
        for (PerfLink link : links) {
            while (!link.postRead(1, WrFlags.SIGNALLED)) {
                idle();
            }
        }
        for (PerfLink link : links) {
            while (link.outstanding() > 0) {
                idle();
            }
        }
    }

    private void idle() throws Failure {
        if (drain()) {
            patience.moved();
        } else {
            patience.awaitCompletion(WHAT);
        }
    }
}
