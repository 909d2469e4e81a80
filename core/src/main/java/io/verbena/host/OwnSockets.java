package io.verbena.host;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds the descriptor of a channel among those of this process, by the addresses at its two ends: the JDK does not show it. A
 * second descriptor of the same socket is made, so that the channel can be closed without closing the connection.
 */
final class OwnSockets {

    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private OwnSockets() {}

    /** A stream over a second descriptor of a connected, non-blocking channel. */
    static EpollStream duplicate(SocketChannel channel) throws IOException {
        LinuxSockets sockets = new LinuxSockets(Arena.ofAuto());
        SocketAddress local = channel.getLocalAddress();
        SocketAddress remote = channel.getRemoteAddress();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : all) {
                int fd = Integer.parseInt(each.getFileName().toString());
                if (isBetween(sockets, fd, local, remote)) {
                    int second = Linux.duplicate(sockets.state(), fd);
                    if (second < 0) {
                        throw LinuxSockets.exception(-second, "fcntl");
                    }
                    return new EpollStream(sockets, second);
                }
            }
        }
        throw new IOException("the system does not show the socket of this stream");
    }

    private static boolean isBetween(LinuxSockets sockets, int fd, SocketAddress local, SocketAddress remote) {
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
