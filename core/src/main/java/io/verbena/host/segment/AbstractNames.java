package io.verbena.host.segment;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.shm.Announcements;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Announcements as abstract names of Unix sockets (unix(7)), which the system removes when their process ends, and which each
 * network namespace has for itself, like its ports:
 *
 * <pre>
 *   \0verbena/USER/pid:[4026531836]/127.0.0.1:7471     the listener of one address
 *   \0verbena/USER/pid:[4026531836]/*:7471             that of all addresses
 * </pre>
 *
 * A process finds only names of its own user and namespace of processes, because only such processes can open its memory.
 * Any process can occupy a name: then peers make an offer in vain, and connect without one.
 */
public final class AbstractNames implements Announcements {

    private static final int PATH = 2;

    /** Size of sun_path. */
    private static final int MAX_NAME = 108;

    private final String prefix;

    private AbstractNames(String prefix) {
        this.prefix = prefix;
    }

    /** The names that this process can use; none if the system cannot be called. */
    public static Announcements ofThisProcess() {
        if (!Machine.obstacleToLinux().isEmpty()
                || !HostSharedMemory.unavailable().isEmpty()) {
            return NONE;
        }
        try {
            Path self = Path.of("/proc/self");
            return new AbstractNames("verbena/" + Files.getAttribute(self, "unix:uid") + "/"
                    + Files.readSymbolicLink(self.resolve("ns/pid")) + "/");
        } catch (IOException | RuntimeException e) {
            return NONE; // /proc shows nothing to this process
        }
    }

    @Override
    public Announcement announce(SocketAddress local) {
        if (!(local instanceof InetSocketAddress address) || address.isUnresolved()) {
            return () -> {};
        }
        InetAddress host = address.getAddress();
        String name = name(host.isAnyLocalAddress() ? "*" : host.getHostAddress(), address.getPort());
        int fd = socket(name, true);
        return fd < 0 ? () -> {} : new Name(fd);
    }

    @Override
    public boolean announced(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress address) || address.isUnresolved()) {
            return false;
        }
        // The system connects the wildcard address to the loopback interface.
        InetAddress host = address.getAddress();
        InetAddress target = host.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : host;
        return exists(name(target.getHostAddress(), address.getPort())) || exists(name("*", address.getPort()));
    }

    private static boolean exists(String name) {
        int fd = socket(name, false);
        if (fd >= 0) {
            closeDescriptor(fd);
        }
        return fd >= 0;
    }

    private String name(String host, int port) {
        return prefix + host + ":" + port;
    }

    /** A datagram socket that has this name, or is connected to the one that has it; negative if there is none. */
    private static int socket(String name, boolean bound) {
        if (1 + name.length() > MAX_NAME) {
            return -1;
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            MemorySegment address = address(arena, name);
            int length = (int) address.byteSize();
            int fd = Linux.datagramSocket(state, Linux.AF_UNIX);
            if (fd < 0) {
                return fd;
            }
            int outcome = bound ? Linux.bind(state, fd, address, length) : Linux.connect(state, fd, address, length);
            if (outcome < 0) {
                Linux.close(state, fd);
                return outcome;
            }
            return fd;
        }
    }

    /** struct sockaddr_un of an abstract name. */
    static MemorySegment address(Arena arena, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        MemorySegment address = arena.allocate(PATH + 1 + bytes.length, 8);
        address.set(JAVA_SHORT, 0, (short) Linux.AF_UNIX);
        MemorySegment.copy(bytes, 0, address, JAVA_BYTE, PATH + 1, bytes.length);
        return address;
    }

    private static void closeDescriptor(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            Linux.close(Linux.newState(arena), fd);
        }
    }

    /** A name that this process has until it is closed. */
    private static final class Name implements Announcement {
        private final int fd;
        private boolean closed;

        Name(int fd) {
            this.fd = fd;
        }

        @Override
        public synchronized void close() {
            if (!closed) {
                closed = true;
                closeDescriptor(fd);
            }
        }
    }
}
