package io.verbena.tools.handlers;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a run does.
 *
 * @param time how long each arrangement is measured
 * @param storage the storage consumer
 * @param every time from one message to the next
 * @param file where blocks are written
 * @param cores cores to bind the processors to, in turn; empty for none
 */
public record HandlersSettings(Duration time, Storage storage, Duration every, Path file, List<Integer> cores) {

    /**
     * The storage consumer.
     *
     * @param disks connections of the storage consumer, each with a CQ of its own
     * @param depth disk writes in flight on each connection
     * @param batch completions that the storage consumer handles an event, at most
     */
    public record Storage(int disks, int depth, int batch) {}

    /** Bytes of a disk write. */
    public static final int BLOCK_BYTES = 64 * 1024;

    /** Keeps its own copy of the cores. */
    public HandlersSettings {
        cores = List.copyOf(cores);
    }
}
