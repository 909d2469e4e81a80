package io.verbena.hardware.provider;

import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/** Entries of work that was never given to the adapter, because its queue pair had failed: a few adapters lose such work. */
final class OwnEntries {

    /** One entry. Failures only, so that an object for each is no burden. */
    record Entry(PostedWork queuePair, long wrId, CompletionOpcode opcode, CompletionStatus status) {}

    private final ArrayDeque<Entry> entries = new ArrayDeque<>();
    private volatile int size;

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    synchronized void add(Entry entry) {
        entries.addLast(entry);
        size = entries.size();
    }

    /** The oldest, or null. */
    synchronized @Nullable Entry take() {
        Entry taken = entries.pollFirst();
        size = entries.size();
        return taken;
    }
}
