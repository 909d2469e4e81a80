package io.verbena.host;

import io.verbena.host.epoll.EpollStream;
import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
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
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Finds the file descriptor of a channel, which the JDK does not expose, and duplicates it, so that the channel can be
 * closed without closing the connection. If the package {@code sun.nio.ch} is exported, as for the provider of channels of a JVM, the channel is
 * asked; else the system is.
 *
 * <p>The selector of the JDK on Linux is an epoll instance, and Linux lists the descriptors that an epoll instance
 * watches in {@code /proc/self/fdinfo}. A private selector, with which the channel is registered briefly, therefore
 * exposes the descriptor at a cost that does not depend on the number of open descriptors. The descriptor of the
 * selector itself is determined once, among all open descriptors; so is that of the channel if the selector shows
 * nothing. Every result is verified by the addresses of both ends of the socket.
 *
 * <pre>
 *   /proc/self/fdinfo/(epoll)    tfd:       11 events: ...      the eventfd of the selector
 *                                tfd:       42 events: ...      the channel
 * </pre>
 */
final class OwnSockets {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final Path DETAILS = Path.of("/proc/self/fdinfo");
    private static final String WATCHED = "tfd:";
    private static final int UNKNOWN = -1;

    private static final Optional<MethodHandle> DESCRIPTOR_OF = descriptorOf();

    // Under the lock of this class.
    private static List<Selector> probe = List.of();
    private static int probeFd = UNKNOWN;

    /** Number of descriptors whose addresses were read. */
    private static final AtomicLong LOOKS = new AtomicLong();

    private OwnSockets() {}

    /** Number of descriptors examined so far. */
    static long looks() {
        return LOOKS.get();
    }

    /**
     * A stream over a duplicated descriptor of a connected, non-blocking channel that is not registered with any
     * selector.
     */
    static EpollStream duplicate(SocketChannel channel) throws IOException {
        Search search = new Search(channel);
        int fd = stated(channel, search);
        if (fd == UNKNOWN) {
            fd = watched(channel, search);
        }
        if (fd == UNKNOWN) {
            fd = among(open(), search);
        }
        if (fd == UNKNOWN) {
            throw new IOException("its connection has ended, or the system does not show its socket");
        }
        int second = Linux.duplicate(search.sockets.state(), fd);
        if (second < 0) {
            throw LinuxSockets.exception(-second, "fcntl");
        }
        return new EpollStream(search.sockets, second);
    }

    /** The method of the JDK that returns the descriptor of a channel, if its package is exported to this module. */
    private static Optional<MethodHandle> descriptorOf() {
        try {
            Class<?> type = Class.forName("sun.nio.ch.SelChImpl");
            return Optional.of(MethodHandles.lookup().findVirtual(type, "getFDVal", MethodType.methodType(int.class)));
        } catch (ReflectiveOperationException e) {
            return Optional.empty();
        }
    }

    /** The descriptor that the JDK states. */
    private static int stated(SocketChannel channel, Search search) {
        if (DESCRIPTOR_OF.isEmpty()) {
            return UNKNOWN;
        }
        try {
            int fd = (int) DESCRIPTOR_OF.get().invoke(channel);
            return search.finds(fd) ? fd : UNKNOWN;
        } catch (Throwable e) {
            return UNKNOWN; // a channel of another provider
        }
    }

    /** The descriptor that the system lists for the private selector while the channel is registered with it. */
    private static synchronized int watched(SocketChannel channel, Search search) throws IOException {
        if (probe.isEmpty()) {
            probe = List.of(channel.provider().openSelector());
        }
        Selector selector = probe.getFirst();
        List<Integer> watching = new ArrayList<>();
        int fd = UNKNOWN;
        // With an interest, because otherwise the JDK does not add the channel to epoll.
        SelectionKey key = channel.register(selector, SelectionKey.OP_READ);
        try {
            selector.selectNow();
            if (probeFd != UNKNOWN) {
                return among(watchedBy(probeFd), search);
            }
            for (int each : open()) {
                int found = among(watchedBy(each), search);
                if (found != UNKNOWN) {
                    fd = found;
                    watching.add(each);
                }
            }
        } finally {
            key.cancel();
            // Only a select removes the key from the channel.
            selector.selectNow();
        }
        // The epoll instances of virtual threads also watch the channels that these have read. Only ours has just
        // stopped.
        for (int each : watching) {
            if (!watchedBy(each).contains(fd)) {
                probeFd = each;
            }
        }
        return fd;
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
