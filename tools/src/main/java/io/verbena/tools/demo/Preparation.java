package io.verbena.tools.demo;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * What runs before the stages and does not count: each of them for a short time, so that the figures contain neither the first access
 * to memory nor code that the JVM has not compiled yet. It moves the zeroes of the memory that the Reads will fill, and counts in words
 * of its own, so that a stage that moves nothing is still found out.
 */
final class Preparation {

    /** What is prepared of memory that is a temporary file: its first access belongs to moving it. */
    private static final long PART_BYTES = 64L << 20;

    private static final Duration LONGEST = Duration.ofMillis(200);
    private static final int FETCH_ADD_WORD = 2;
    private static final int COMPARE_SWAP_WORD = 3;
    private static final int STEPS = 6;
    private static final Bars NONE = (_, _) -> ProgressBar.hidden();

    private final DemoLink link;
    private final ControlMessage.Welcome server;
    private final List<QueuePair> queuePairs;
    private final ProgressBar bar;
    private final Duration each;
    private int done;

    /** Of stages that last {@code stage} each: a preparation is no longer than what it prepares. */
    Preparation(DemoLink link, ControlMessage.Welcome server, List<QueuePair> queuePairs, Bars bars, Duration stage) {
        this.link = link;
        this.server = server;
        this.queuePairs = queuePairs;
        bar = bars.start("Preparing", STEPS);
        each = stage.compareTo(LONGEST) < 0 ? stage : LONGEST;
    }

    /** Runs it, and returns how long that took. */
    long run(DemoMemory file, DemoMemory landing) throws Failure {
        long startNs = System.nanoTime();
        long bytes = file.length() <= DemoMemory.MOST_PLAIN_BYTES ? file.length() : PART_BYTES;
        try {
            MemorySegment source = file.beginning(bytes).segment();
            if (source.isMapped()) {
                source.load();
            }
            step();
            for (TransferStage.Direction direction : TransferStage.Direction.values()) {
                new TransferStage(link, direction, landing.beginning(bytes), server.data(), each).run(NONE);
                step();
            }
            new MessageStage(link).run(NONE, each);
            step();
            RemoteRegion counters = server.counters();
            new FetchAddStage(link, DemoServer.word(counters, FETCH_ADD_WORD), queuePairs).run(NONE, each);
            step();
            new CompareSwapStage(link, DemoServer.word(counters, COMPARE_SWAP_WORD), queuePairs).run(NONE, each);
            step();
        } finally {
            bar.clear();
        }
        return System.nanoTime() - startNs;
    }

    private void step() {
        bar.update(++done, System.nanoTime());
    }
}
