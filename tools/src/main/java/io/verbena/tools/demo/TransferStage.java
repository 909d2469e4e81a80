package io.verbena.tools.demo;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.Latencies;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.time.Duration;

/** Moves memory in pieces, with a number of Writes or Reads in flight at any time. */
final class TransferStage {

    /** Which way. */
    enum Direction {
        /** To the server. */
        WRITE("RDMA Write", "write"),
        /** From the server. */
        READ("RDMA Read", "read");

        private final String label;
        private final String key;

        Direction(String label, String key) {
            this.label = label;
            this.key = key;
        }
    }

    private static final long BAR = 1_000_000;

    private final DemoLink link;
    private final Direction direction;
    private final DemoMemory local;
    private final RemoteRegion remote;
    private final int pieceBytes;
    private final long pieces;
    private final int depth;
    private final long spanNs;
    private final long[] postedNs;
    private final Latencies latencies = new Latencies();

    private long posted;
    private long completed;
    private boolean last;

    /**
     * A stage.
     *
     * @param span how long the memory is moved repeatedly; zero for once
     */
    TransferStage(DemoLink link, Direction direction, DemoMemory local, RemoteRegion remote, Duration span) {
        this.link = link;
        this.direction = direction;
        this.local = local;
        this.remote = remote;
        this.pieceBytes = link.settings().transfer().pieceBytes();
        this.pieces = Math.max(1, Math.ceilDiv(local.length(), pieceBytes));
        this.depth = link.settings().transfer().depth();
        this.spanNs = Times.nanos(span);
        this.postedNs = new long[depth];
    }

    /** The whole memory once, and again until the time is over. */
    StageFigures run(Bars bars) throws Failure {
        ProgressBar bar = bars.start(direction.label, BAR);
        long startNs = System.nanoTime();
        try {
            move(bar, startNs);
            if (direction == Direction.WRITE) {
                link.sync(completed, "the server to confirm the Writes");
            }
        } catch (Failure | RuntimeException e) {
            bar.clear();
            throw e;
        }
        long durationNs = System.nanoTime() - startNs;
        StageFigures figures =
                new StageFigures(direction.label, direction.key, completed, bytes(), durationNs, latencies);
        bar.finish(figures.sentence());
        return figures;
    }

    private void move(ProgressBar bar, long startNs) throws Failure {
        String what = "the completion of an " + direction.label;
        while (!last || completed < posted) {
            postSome(startNs);
            onDone(link.completions().next(what));
            while (link.completions().poll(what)) {
                onDone(link.completions().cursor());
            }
            show(bar, System.nanoTime(), startNs);
        }
    }

    /** Progress by bytes the first time over the memory, and by time after that. */
    private void show(ProgressBar bar, long nowNs, long startNs) {
        double part = (double) completed / pieces;
        if (spanNs > 0) {
            part = Math.min(part, (double) (nowNs - startNs) / spanNs);
        }
        bar.update((long) (part * BAR), nowNs, () -> Figures.bytesPerSecond(bytes() * 1e9 / (nowNs - startNs)));
    }

    /** Bytes of what is complete; the last piece of the memory may be shorter. */
    private long bytes() {
        return completed / pieces * local.length() + completed % pieces * pieceBytes;
    }

    /** Fills the send queue up to the depth; one doorbell for all. */
    private void postSome(long startNs) throws Failure {
        QueuePair queuePair = link.queuePair();
        queuePair.startBatch();
        while (!last && posted - completed < depth && post(queuePair)) {
            postedNs[(int) (posted % depth)] = System.nanoTime();
            posted++;
            last = posted % pieces == 0 && System.nanoTime() - startNs >= spanNs;
        }
        queuePair.ringDoorbell();
        if (posted == completed) {
            throw new Failure("The empty send queue accepts no work");
        }
    }

    private boolean post(QueuePair queuePair) {
        long offset = posted % pieces * pieceBytes;
        int length = (int) Math.min(pieceBytes, local.length() - offset);
        return switch (direction) {
            case WRITE ->
                queuePair.postWrite(posted, local.region(), offset, length, remote, offset, WrFlags.SIGNALLED);
            case READ -> queuePair.postRead(posted, local.region(), offset, length, remote, offset, WrFlags.SIGNALLED);
        };
    }

    /** Work of one queue pair completes in the order in which it was posted. */
    private void onDone(CompletionCursor completion) throws Failure {
        if (completion.wrId() != completed) {
            throw new Failure("Work request " + completion.wrId() + " completed before " + completed);
        }
        latencies.record(System.nanoTime() - postedNs[(int) (completed % depth)]);
        completed++;
    }
}
