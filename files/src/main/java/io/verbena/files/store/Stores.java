package io.verbena.files.store;

import io.verbena.files.protocol.FileMessage;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/** The stores into one file: connections of at most one client at a time. For any thread. */
public final class Stores {

    // Guarded by this.
    private final Set<OpenFile> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private int opening;
    private long writer;

    /**
     * Begins to open the file for a client. A successful call needs a call of {@link #opened}.
     *
     * @return false if another client is storing into the file
     */
    synchronized boolean begin(FileMessage.Open question) {
        if ((opening > 0 || !open.isEmpty()) && writer != question.client()) {
            return false;
        }
        if (question.writing()) {
            opening++;
            writer = question.client();
        }
        return true;
    }

    /** Ends what {@link #begin} began, whether the file was opened or not. */
    synchronized void opened(FileMessage.Open question) {
        if (question.writing()) {
            opening--;
        }
    }

    synchronized void add(OpenFile store) {
        open.add(store);
    }

    synchronized void remove(OpenFile store) {
        open.remove(store);
    }

    synchronized boolean contains(OpenFile store) {
        return open.contains(store);
    }

    /** Removes all stores but this one, which keeps the file from other clients, and returns all of them. */
    synchronized List<OpenFile> endAllBut(OpenFile last) {
        List<OpenFile> ended = List.copyOf(open);
        open.removeIf(store -> store != last);
        return ended;
    }
}
