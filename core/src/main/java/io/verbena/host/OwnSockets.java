package io.verbena.host;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds the descriptor of a channel, which the JDK does not show. A second descriptor of the same socket is made, so that the
 * channel can be closed without closing the connection.
 *
 * <p>The JDK's selector on Linux is an epoll instance, and Linux lists what an epoll instance watches in {@code
 * /proc/self/fdinfo}. A selector of our own, with which the channel is registered for a moment, so shows the descriptor at a
 * cost that does not depend on how many are open. Which descriptor the selector itself has is found once, among all that are
 * open; so is the channel's own where the selector shows nothing. Whatever is found is checked by the addresses at the two ends
 * of the socket.
 *
 * <pre>
 *   /proc/self/fdinfo/(epoll)    tfd:       11 events: ...      the selector's own eventfd
 *                                tfd:       42 events: ...      the channel
 * </pre>
 */
final class OwnSockets {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path DETAILS = Path.of("/proc/self/fdinfo");
    private static final String WATCHED = "tfd:";
    private static final int UNKNOWN = -1;

    // Under the lock of this class.
    private static List<Selector> probe = List.of();
    private static int probeFd = UNKNOWN;

    /** Descriptors whose addresses were asked for. */
    private static final AtomicLong LOOKS = new AtomicLong();

    private OwnSockets() {}

    /** How many descriptors were looked at so far. */
    static long looks() {
        return LOOKS.get();
    }

    /** A stream over a second descriptor of a connected, non-blocking channel that is registered with no selector. */
    static EpollStream duplicate(SocketChannel channel) throws IOException {
        Search search = new Search(channel);
        int fd = watched(channel, search);
        if (fd == UNKNOWN) {
            fd = among(open(), search);
        }
        if (fd == UNKNOWN) {
            throw new IOException("the system does not show the socket of this stream");
        }
        int second = Linux.duplicate(search.sockets.state(), fd);
        if (second < 0) {
            throw LinuxSockets.exception(-second, "fcntl");
        }
        return new EpollStream(search.sockets, second);
    }

    /** What the system shows of our selector while the channel is registered there. */
    private static synchronized int watched(SocketChannel channel, Search search) throws IOException {
        if (probe.isEmpty()) {
            probe = List.of(Selector.open());
        }
        Selector selector = probe.getFirst();
        // With an interest: without one the JDK does not tell the system of it.
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        try {
            selector.selectNow();
            if (probeFd != UNKNOWN) {
                return among(watchedBy(probeFd), search);
            }
            for (int each : open()) {
                int fd = among(watchedBy(each), search);
                if (fd != UNKNOWN) {
                    probeFd = each;
                    return fd;
                }
            }
            return UNKNOWN;
        } finally {
            key.cancel();
            // Only a select makes the channel forget the key.
            selector.selectNow();
        }
    }

    private static int among(List<Integer> descriptors, Search search) {
        for (int fd : descriptors) {
            if (search.finds(fd)) {
                return fd;
            }
        }
        return UNKNOWN;
    }

    private static List<Integer> open() throws IOException {
        List<Integer> all = new ArrayList<>();
        try (DirectoryStream<Path> names = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : names) {
                all.add(Integer.parseInt(each.getFileName().toString()));
            }
        }
        return all;
    }

    /** What an epoll instance watches; nothing for a descriptor of another kind. */
    private static List<Integer> watchedBy(int fd) {
        List<Integer> all = new ArrayList<>();
        try {
            for (String line : Files.readAllLines(DETAILS.resolve(Integer.toString(fd)))) {
                if (line.startsWith(WATCHED)) {
                    all.add(Integer.parseInt(
                            line.substring(WATCHED.length()).strip().split(" ", 2)[0]));
                }
            }
        } catch (IOException e) {
            return List.of(); // closed meanwhile
        }
        return all;
    }

    /** A socket by the addresses at its two ends. */
    private static final class Search {
        private final LinuxSockets sockets = new LinuxSockets(Arena.ofAuto());
        private final SocketAddress local;
        private final SocketAddress remote;

        Search(SocketChannel channel) throws IOException {
            local = channel.getLocalAddress();
            remote = channel.getRemoteAddress();
        }

        boolean finds(int fd) {
            LOOKS.incrementAndGet();
            try {
                return same(sockets.localAddress(fd), local) && same(sockets.remoteAddress(fd), remote);
            } catch (IOException e) {
                return false; // no socket, not connected, or closed meanwhile
            }
        }

        private static boolean same(InetSocketAddress found, SocketAddress wanted) {
            return wanted instanceof InetSocketAddress address
                    && found.getPort() == address.getPort()
                    && found.getAddress().equals(address.getAddress());
        }
    }
}
