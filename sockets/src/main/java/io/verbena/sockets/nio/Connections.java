package io.verbena.sockets.nio;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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

    /**
     * Why TCP has carried connections, each reason with the number of them. Reasons are few; should they be many,
     * the rest is counted as one.
     */
    static final class TcpReasons {

        private static final int MOST = 64;
        private static final String OTHERS = "other reasons";

        private final Map<String, Long> counts;

        TcpReasons() {
            this(Map.of());
        }

        private TcpReasons(Map<String, Long> counts) {
            this.counts = new TreeMap<>(counts);
        }

        /** Counts a connection; one by RDMA has no reason. */
        synchronized void add(String why) {
            if (!why.isEmpty()) {
                counts.merge(counts.size() < MOST || counts.containsKey(why) ? why : OTHERS, 1L, Long::sum);
            }
        }

        synchronized TcpReasons copy() {
            return new TcpReasons(counts);
        }

        synchronized Map<String, Long> counts() {
            return new TreeMap<>(counts);
        }
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
