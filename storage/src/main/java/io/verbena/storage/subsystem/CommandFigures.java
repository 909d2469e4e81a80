package io.verbena.storage.subsystem;

import io.verbena.storage.subsystem.CommandCounts.Transfers;

/** Counts the commands of a queue or of a namespace. */
final class CommandFigures {
    private long reads;
    private long readBytes;
    private long writes;
    private long writtenBytes;
    private long flushes;
    private long others;
    private long failures;
    private final LatencyCounts latencies = new LatencyCounts();

    void ended(Command command, long spanNs) {
        latencies.add(spanNs);
        if (command.failed()) {
            failures++;
            return;
        }
        switch (command.operation()) {
            case READ -> {
                reads++;
                readBytes += command.lengthBytes();
            }
            case WRITE -> {
                writes++;
                writtenBytes += command.lengthBytes();
            }
            case FLUSH -> flushes++;
            case NONE, COMPARE, WRITE_ZEROES, DEALLOCATE, VERIFY -> others++;
        }
    }

    CommandCounts counts() {
        return new CommandCounts(
                new Transfers(reads, readBytes),
                new Transfers(writes, writtenBytes),
                flushes,
                others,
                failures,
                latencies.copy());
    }
}
