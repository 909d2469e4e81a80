package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;

/**
 * A TUN or TAP device that exists, opened by its name. The device is one of the network namespace of the calling thread, and must be
 * up and have an IPv4 address, which is that of the system; this side has another one.
 *
 * <pre>
 *   struct ifreq  | name 16 | flags 2, or mtu 4, or sockaddr_in 16 | ... 40
 * </pre>
 */
final class TunDevice {

    private static final long TUNSETIFF = 0x4004_54caL;
    private static final long TUNSETOFFLOAD = 0x4004_54d0L;
    private static final long TUNSETVNETHDRSZ = 0x4004_54d8L;
    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCGIFADDR = 0x8915;
    private static final long SIOCGIFNETMASK = 0x891b;
    private static final long SIOCGIFMTU = 0x8921;

    private static final int IFF_TUN = 1;
    private static final int IFF_TAP = 2;
    private static final int IFF_NO_PI = 0x1000;
    private static final int IFF_VNET_HDR = 0x4000;

    /** TUN_F_CSUM and TUN_F_TSO4: the checksum and segments of TCP over IPv4. */
    private static final int OFFLOADS = 1 | 2;

    private static final int IFF_UP = 1;
    private static final int NAME_BYTES = 15;
    private static final int IFREQ_BYTES = 40;
    private static final int UNION = 16;
    private static final int ADDRESS = UNION + 4;
    private static final int VNET_HEADER_BYTES = 10;
    private static final String NODE = "/dev/net/tun";

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment state = Linux.newState(arena);
    private final MemorySegment request = arena.allocate(IFREQ_BYTES, 8);
    private final String name;
    private final boolean ethernet;
    private final InetAddress address;
    private final int prefixBits;
    private final int mtu;
    private final boolean offloads;
    private final int fd;
    private boolean closed;

    /**
     * Opens a device.
     *
     * @param tap whether it is a TAP device, which carries Ethernet frames; otherwise a TUN device
     * @param large whether large segments are wanted
     * @throws IOException with a sentence that says what to do
     */
    TunDevice(String name, boolean tap, boolean large) throws IOException {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > NAME_BYTES) {
            throw new IOException("'" + name + "' is not the name of a network device: it must have 1 to 15 bytes");
        }
        this.name = name;
        this.ethernet = tap;
        MemorySegment.copy(bytes, 0, request, JAVA_BYTE, 0, bytes.length);
        int socket = Linux.datagramSocket(state, Linux.AF_INET);
        if (socket < 0) {
            throw LinuxSockets.exception(-socket, "socket");
        }
        try {
            if (ask(socket, SIOCGIFFLAGS) == -Linux.ENODEV) {
                throw new IOException(
                        "there is no network device '" + name + "' in this network namespace: create it with"
                                + " 'verbena net up " + name + " --kind " + kind() + "'");
            }
            if ((request.get(JAVA_SHORT, UNION) & IFF_UP) == 0) {
                throw new IOException(
                        "the network device " + name + " is down: enable it with 'ip link set " + name + " up'");
            }
            mtu = ask(socket, SIOCGIFMTU) < 0 ? 1500 : request.get(JAVA_INT, UNION);
            if (ask(socket, SIOCGIFADDR) < 0) {
                throw new IOException("the network device " + name
                        + " has no IPv4 address: give it one with 'ip address add 10.77.0.1/24 dev " + name + "'");
            }
            address = InetAddress.getByAddress(request.asSlice(ADDRESS, 4).toArray(JAVA_BYTE));
            prefixBits = ask(socket, SIOCGIFNETMASK) < 0 ? 24 : Integer.bitCount(request.get(JAVA_INT, ADDRESS));
        } finally {
            Linux.close(state, socket);
        }
        fd = open();
        boolean opened = false;
        try {
            attach();
            offloads = Linux.ioctl(state, fd, TUNSETOFFLOAD, large ? OFFLOADS : 0) >= 0 && large;
            opened = true;
        } finally {
            if (!opened) {
                Linux.close(state, fd);
            }
        }
    }

    private String kind() {
        return ethernet ? "tap" : "tun";
    }

    private int ask(int socket, long what) {
        return Linux.ioctl(state, socket, what, request.address());
    }

    private int open() throws IOException {
        try (Arena local = Arena.ofConfined()) {
            int opened = Linux.openNonBlocking(state, local.allocateFrom(NODE));
            return switch (-opened) {
                case Linux.ENOENT ->
                    throw new IOException(
                            "there is no " + NODE + ": load the module with 'modprobe tun', or in a container"
                                    + " make the node with 'mkdir -p /dev/net && mknod " + NODE + " c 10 200'");
                case Linux.EACCES, Linux.EPERM ->
                    throw new IOException("this user may not open " + NODE
                            + ": run as root, or permit it with 'chmod 666 " + NODE + "', the usual mode");
                default -> {
                    if (opened < 0) {
                        throw LinuxSockets.exception(-opened, "open " + NODE);
                    }
                    yield opened;
                }
            };
        }
    }

    private void attach() throws IOException {
        request.set(JAVA_SHORT, UNION, (short) ((ethernet ? IFF_TAP : IFF_TUN) | IFF_NO_PI | IFF_VNET_HDR));
        int outcome = Linux.ioctl(state, fd, TUNSETIFF, request.address());
        switch (-outcome) {
            case Linux.EPERM ->
                throw new IOException("this user may not open the network device " + name
                        + ": the privilege CAP_NET_ADMIN is missing. Run as root, or create the device for this user with"
                        + " 'verbena net up " + name + " --kind " + kind() + " --user NAME' as root");
            case Linux.EBUSY ->
                throw new IOException(
                        "the network device " + name + " is in use by another program: create one for each");
            case Linux.EINVAL ->
                throw new IOException(
                        "the network device " + name + " is not a " + kind().toUpperCase(java.util.Locale.ROOT)
                                + " device: choose the carrier that fits it, or another device");
            default -> {
                if (outcome < 0) {
                    throw LinuxSockets.exception(-outcome, "TUNSETIFF");
                }
            }
        }
        request.set(JAVA_INT, UNION, VNET_HEADER_BYTES);
        outcome = Linux.ioctl(state, fd, TUNSETVNETHDRSZ, request.address() + UNION);
        if (outcome < 0) {
            throw LinuxSockets.exception(-outcome, "TUNSETVNETHDRSZ");
        }
    }

    String name() {
        return name;
    }

    boolean ethernet() {
        return ethernet;
    }

    int mtu() {
        return mtu;
    }

    boolean offloads() {
        return offloads;
    }

    /** The address of the system's end. */
    InetAddress address() {
        return address;
    }

    int prefixBits() {
        return prefixBits;
    }

    int fd() {
        return fd;
    }

    /** Reads a frame: its length, or {@code -errno}. */
    long read(long to, long bytes) {
        return Linux.read(state, fd, to, bytes);
    }

    /** Writes a frame: its length, or {@code -errno}. */
    long write(long from, long bytes) {
        return Linux.write(state, fd, from, bytes);
    }

    void close() {
        if (!closed) {
            closed = true;
            Linux.close(state, fd);
        }
    }
}
