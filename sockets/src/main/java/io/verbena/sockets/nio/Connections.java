package io.verbena.sockets.nio;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
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

        /** Why TCP carries it, as {@link SocketFigures#why}. */
        String why();
    }

    private final AtomicLong opened = new AtomicLong();
    private final TcpReasons ended = new TcpReasons();
    private final Set<Connected> open = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** Adds a connection; returns its number. */
    long add(Connected channel) {
        open.add(channel);
        return opened.incrementAndGet();
    }

    void remove(Connected channel) {
        if (open.remove(channel)) {
            ended.add(channel.why());
        }
    }

    /** Why connections were and are by TCP, with the number of them since the provider was made. */
    Map<String, Long> tcpReasons() {
        TcpReasons all = ended.copy();
        open().forEach(channel -> all.add(channel.why()));
        return all.counts();
    }

    /** The figures of all, the oldest first. */
    List<SocketFigures> figures() {
        return open().stream()
                .flatMap(channel -> channel.figures().stream())
                .sorted(Comparator.comparingLong(SocketFigures::id))
                .toList();
    }

    private List<Connected> open() {
        synchronized (open) {
            return new ArrayList<>(open);
        }
    }
}
