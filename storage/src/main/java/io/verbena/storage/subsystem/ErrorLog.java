package io.verbena.storage.subsystem;

import io.verbena.storage.wire.ErrorEntry;
import io.verbena.storage.wire.Status;
import java.lang.foreign.MemorySegment;

/** The last errors of a controller, in memory that is allocated once. */
final class ErrorLog {
    static final int ENTRIES = 16;

    private final MemorySegment entries = MemorySegment.ofArray(new byte[ENTRIES * ErrorEntry.LENGTH]);
    private final ErrorEntry entry = new ErrorEntry();
    private long count;
    private long mediaErrors;

    void add(int queueId, Command command, Status status) {
        mediaErrors += status == Status.READ_ERROR || status == Status.WRITE_FAULT ? 1 : 0;
        entry.wrap(entries, count % ENTRIES * ErrorEntry.LENGTH).clear();
        count++;
        entry.count(count)
                .queueId(queueId)
                .commandId(command.commandId())
                .namespaceId(queueId == 0 ? 0 : command.namespaceId())
                .block(queueId == 0 ? 0 : command.firstBlock())
                .statusField(status.field() << 1)
                .location(0xffff);
    }

    /** Errors of a medium, not those of a host. */
    long mediaErrors() {
        return mediaErrors;
    }

    long count() {
        return count;
    }

    /** Writes the entries, the newest first. */
    void copyTo(MemorySegment out) {
        long kept = Math.min(count, ENTRIES);
        for (int i = 0; i < kept; i++) {
            long from = (count - 1 - i) % ENTRIES * ErrorEntry.LENGTH;
            MemorySegment.copy(entries, from, out, (long) i * ErrorEntry.LENGTH, ErrorEntry.LENGTH);
        }
    }
}
