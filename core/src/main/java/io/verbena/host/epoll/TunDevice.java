package io.verbena.host.epoll;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.verbena.host.system.Linux;
import io.verbena.host.system.LinuxSockets;
import io.verbena.host.system.SystemInterface;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

/**
 * A TUN or TAP device that exists, opened by its name. The device is one of the network namespace of the calling thread, and must be
 * up and have an address, which is that of the system; this side has another one.
 *
 * <pre>
 *   struct ifreq  | name 16 | flags 2 | ... 40
 * </pre>
 */
public final class TunDevice implements FrameDevice {

    private static final long TUNSETIFF = 0x4004_54caL;
    private static final long TUNSETOFFLOAD = 0x4004_54d0L;
    private static final long TUNSETVNETHDRSZ = 0x4004_54d8L;

    private static final int IFF_TUN = 1;
    private static final int IFF_TAP = 2;
    private static final int IFF_NO_PI = 0x1000;
    private static final int IFF_VNET_HDR = 0x4000;

    /** TUN_F_CSUM, TUN_F_TSO4 and TUN_F_TSO6: checksums, and segments of TCP over IPv4 and IPv6. */
    private static final int OFFLOADS = 1 | 2 | 4;

    private static final int IFREQ_BYTES = 40;
    private static final int UNION = 16;
    private static final int VNET_HEADER_BYTES = 10;
    private static final String NODE = "/dev/net/tun";

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment state = Linux.newState(arena);
    private final MemorySegment request = arena.allocate(IFREQ_BYTES, 8);
    private final SystemInterface system;
    private final String name;
    private final boolean ethernet;
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
    public TunDevice(String name, boolean tap, boolean large) throws IOException {
        this.name = name;
        this.ethernet = tap;
        this.system = SystemInterface.find(name, "create it with 'verbena net up " + name + " --kind " + kind() + "'");
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        MemorySegment.copy(bytes, 0, request, JAVA_BYTE, 0, bytes.length);
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
                        + ": the privilege CAP_NET_ADMIN is missing. Run as root, or create the device for this user"
                        + " with 'verbena net up " + name + " --kind " + kind() + " --user NAME' as root");
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

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean ethernet() {
        return ethernet;
    }

    @Override
    public int mtu() {
        return system.mtu();
    }

    @Override
    public boolean offloads() {
        return offloads;
    }

    @Override
    public int receiveBufferBytes() {
        return Integer.MAX_VALUE; // the sender waits
    }

    /** What the system knows of the device, with its own addresses. */
    public SystemInterface system() {
        return system;
    }

    @Override
    public int fd() {
        return fd;
    }

    @Override
    public long read(long to, long bytes) {
        return Linux.read(state, fd, to, bytes);
    }

    @Override
    public long write(long from, long bytes) {
        return Linux.write(state, fd, from, bytes);
    }

    @Override
    public long write(MemorySegment pieces, int count) {
        return Linux.writev(state, fd, pieces, count);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            Linux.close(state, fd);
        }
    }
}
