package io.verbena.tools.demo;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.Latencies;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;

/**
 * Several connections count up one word of the server's memory at once. What an operation finds tells whether the
 * word was ever lost or doubled.
 */
abstract class AtomicStage {

    private final DemoLink link;
    private final String name;
    private final String key;
    private final RemoteRegion word;
    private final List<QueuePair> queuePairs;
    private final int depth;
    private final MemoryRegion found;
    private final long[] postedNs;
    private final Latencies latencies = new Latencies();

    private long posted;
    private long completed;

    /**
     * A stage.
     *
     * @param depth operations in flight on each connection
     */
    AtomicStage(DemoLink link, String name, String key, RemoteRegion word, List<QueuePair> queuePairs, int depth) {
        this.link = link;
        this.name = name;
        this.key = key;
        this.word = word;
        this.queuePairs = queuePairs;
        this.depth = depth;
        this.found = link.pd().allocate((long) queuePairs.size() * depth * Long.BYTES, LOCAL_WRITE);
        this.postedNs = new long[queuePairs.size() * depth];
    }

    /** Posts one operation whose original value goes to {@code offset}; false when the queue is full. */
    abstract boolean post(QueuePair queuePair, long id, MemoryRegion result, long offset, RemoteRegion target);

    /** The operation with this number is complete and found this value. */
    abstract void onFound(int slot, long value) throws Failure;

    /** Whether enough is done, whatever the time. */
    abstract boolean enough();

    /** Checks the word's last value. */
    abstract void check(long value) throws Failure;

    final StageFigures run(Bars bars, Duration span) throws Failure {
        long spanNs = Times.nanos(span);
        ProgressBar bar = bars.start(name, spanNs);
        long startNs = System.nanoTime();
        try {
            for (int slot = 0; slot < postedNs.length; slot++) {
                postAt(slot);
            }
            while (completed < posted) {
                int slot = (int) complete(link.completions().next("the completion of a " + name))
                        .wrId();
                long nowNs = System.nanoTime();
                if (nowNs - startNs < spanNs && !enough()) {
                    postAt(slot);
                }
                bar.update(nowNs - startNs, nowNs, () -> Figures.perSecond(Figures.rate(completed, nowNs - startNs)));
            }
            long durationNs = System.nanoTime() - startNs;
            check(readWord());
            StageFigures figures = new StageFigures(name, key, completed, 0, durationNs, latencies);
            bar.finish(figures.sentence());
            return figures;
        } catch (Failure | RuntimeException e) {
            bar.clear();
            throw e;
        } finally {
            found.close();
        }
    }

    private void postAt(int slot) throws Failure {
        postedNs[slot] = System.nanoTime();
        if (!post(queuePairs.get(slot / depth), slot, found, (long) slot * Long.BYTES, word)) {
            throw new Failure("The send queue is full after " + (slot % depth) + " operations");
        }
        posted++;
    }

    private CompletionCursor complete(CompletionCursor completion) throws Failure {
        int slot = (int) completion.wrId();
        latencies.record(System.nanoTime() - postedNs[slot]);
        completed++;
        onFound(slot, found.segment().get(ValueLayout.JAVA_LONG, (long) slot * Long.BYTES));
        return completion;
    }

    /** An RDMA Read of the word; the server's machine stores it in its own byte order, which is ours: it is this host. */
    private long readWord() throws Failure {
        queuePairs.getFirst().postRead(0, found, 0, Long.BYTES, word, 0, WrFlags.SIGNALLED);
        link.completions().next("the last value of the word");
        return found.segment().get(ValueLayout.JAVA_LONG, 0);
    }
}
