package io.verbena.sockets.nio.opening;

import java.lang.System.Logger.Level;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is known of the peers that this process has connected to. Only an answer shows what a peer is: a peer that is slow, that refuses, or that
 * ends a connection may be anything.
 */
public final class Peers {

    /** How long a peer that answered in another protocol is connected by TCP alone, and a silent one is given less time. */
    public static final Duration REMEMBERED = Duration.ofMinutes(1);

    /** What a peer gets that was not silent before: a program that starts, or whose machine is busy, answers late. */
    private static final Duration SLOW = Duration.ofMillis(500);

    private static final int SLOW_TIMES = 10;

    /** Peers to remember; when there are more, all are forgotten and tried again. */
    private static final int MOST = 10_000;

    /** What a peer is. */
    public enum Kind {
        UNKNOWN,
        /** A provider of sockets, which has answered an upgrade. */
        VERBENA,
        /** A program that speaks MPA, such as one over librdmacm. */
        FOREIGN,
        /** A program that has answered in another protocol within the last minute. */
        PLAIN,
        /** A peer that has not answered within the last minute. It may be anything. */
        SILENT
    }

    private record Known(Kind kind, long sinceNs) {}

    private final Map<SocketAddress, Known> known = new ConcurrentHashMap<>();
    private final Set<SocketAddress> explained = ConcurrentHashMap.newKeySet();

    public Kind of(SocketAddress peer) {
        Known found = known.get(peer);
        if (found == null) {
            return Kind.UNKNOWN;
        }
        boolean passes = found.kind == Kind.PLAIN || found.kind == Kind.SILENT;
        if (passes && System.nanoTime() - found.sinceNs >= REMEMBERED.toNanos()) {
            known.remove(peer, found);
            return Kind.UNKNOWN;
        }
        return found.kind;
    }

    public void verbena(SocketAddress peer) {
        remember(peer, Kind.VERBENA);
    }

    public void foreign(SocketAddress peer) {
        remember(peer, Kind.FOREIGN);
    }

    public void plain(SocketAddress peer) {
        remember(peer, Kind.PLAIN);
    }

    /** It has not answered in time. What is known of it remains. */
    public void silent(SocketAddress peer) {
        if (of(peer) == Kind.UNKNOWN) {
            remember(peer, Kind.SILENT);
        }
    }

    /**
     * How long a peer may take to answer. One that was silent before has the time of the option {@code patience};
     * others have ten times as long, but as a rule no more than half a second, in which the user of a peer that is no
     * Verbena waits once a minute.
     */
    public Duration patience(SocketAddress peer, Duration option) {
        return of(peer) == Kind.SILENT ? option : longer(option, SLOW);
    }

    /** Ten times an option, but as a rule no more than {@code most}. */
    public static Duration longer(Duration option, Duration most) {
        Duration longer = option.multipliedBy(SLOW_TIMES);
        Duration limit = option.compareTo(most) > 0 ? option : most;
        return longer.compareTo(limit) < 0 ? longer : limit;
    }

    /** Nothing listens there: what does so next may be another program. */
    public void forget(SocketAddress peer) {
        known.remove(peer);
    }

    private void remember(SocketAddress peer, Kind kind) {
        if (known.size() >= MOST) {
            known.clear();
        }
        known.put(peer, new Known(kind, System.nanoTime()));
    }

    /** States once for each peer why TCP carries a connection to it. */
    public void explain(SocketAddress peer, String why) {
        if (explained.size() >= MOST) {
            explained.clear();
        }
        if (explained.add(peer)) {
            SetUpThread.log().log(
                    Level.WARNING,
                    "TCP carries a connection to " + peer + ": " + why.replaceFirst("[.]+$", "")
                            + ". Later connections try RDMA again.");
        }
    }
}
