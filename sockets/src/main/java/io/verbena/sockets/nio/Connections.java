package io.verbena.sockets.nio;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The connections of a provider. It does not keep a channel that the program has dropped without closing it: the cleaner of the
 * JDK closes that.
 */
final class Connections {

    /** A channel that has a connection, or will have one. */
    interface Connected {

        /** What the connection has done; nothing before there is one. */
        Optional<SocketFigures> figures();
    }

    private final AtomicLong opened = new AtomicLong();
    private final Set<Connected> open = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Adds a connection; returns its number. */
    long add(Connected channel) {
        open.add(channel);
        return opened.incrementAndGet();
    }

    void remove(Connected channel) {
        open.remove(channel);
    }

    /** The figures of all, the oldest first. */
    List<SocketFigures> figures() {
        List<Connected> now;
        synchronized (open) {
            now = new ArrayList<>(open);
        }
        return now.stream()
                .flatMap(channel -> channel.figures().stream())
                .sorted(Comparator.comparingLong(SocketFigures::id))
                .toList();
    }
}
