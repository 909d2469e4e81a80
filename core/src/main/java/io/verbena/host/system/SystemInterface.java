package io.verbena.host.system;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * What the system knows of a network interface in the network namespace of this process.
 *
 * @param name of the interface
 * @param index its number
 * @param mtu size of the largest packet
 * @param addresses of the system on it
 */
public record SystemInterface(String name, int index, int mtu, List<InterfaceAddress> addresses) {

    private static final int NAME_BYTES = 15;
    private static final long SIOCGIFFLAGS = 0x8913;
    private static final long SIOCGIFMTU = 0x8921;
    private static final long SIOCGIFINDEX = 0x8933;
    private static final int IFF_UP = 1;

    /** struct ifreq, and the answer in it. */
    private static final int IFREQ_BYTES = 40;

    private static final int UNION = 16;

    /**
     * Looks up an interface, which must be up.
     *
     * @param remedy what to do if there is none
     * @throws IOException with a sentence
     */
    public static SystemInterface find(String name, String remedy) throws IOException {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES) {
            throw new IOException("'" + name + "' is not the name of a network device: it must have 1 to 15 bytes");
        }
        // NetworkInterface shows only devices with an address, which one on a bridge does not have.
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            MemorySegment request = arena.allocate(IFREQ_BYTES, 8);
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            MemorySegment.copy(bytes, 0, request, JAVA_BYTE, 0, bytes.length);
            int socket = Linux.datagramSocket(state, Linux.AF_INET);
            if (socket < 0) {
                throw LinuxSockets.exception(-socket, "socket");
            }
            try {
                int flags = ask(state, socket, SIOCGIFFLAGS, request, name, remedy) & 0xffff;
                if ((flags & IFF_UP) == 0) {
                    throw new IOException(
                            "the network device " + name + " is down: enable it with 'ip link set " + name + " up'");
                }
                int index = ask(state, socket, SIOCGIFINDEX, request, name, remedy);
                int mtu = ask(state, socket, SIOCGIFMTU, request, name, remedy);
                return new SystemInterface(name, index, mtu, addresses(name));
            } finally {
                Linux.close(state, socket);
            }
        }
    }

    /** Asks the system for a number that describes the device. */
    private static int ask(
            MemorySegment state, int socket, long what, MemorySegment request, String name, String remedy)
            throws IOException {
        int outcome = Linux.ioctl(state, socket, what, request.address());
        if (outcome == -Linux.ENODEV) {
            throw new IOException("there is no network device '" + name + "' in this network namespace: " + remedy);
        }
        if (outcome < 0) {
            throw LinuxSockets.exception(-outcome, "ioctl of " + name);
        }
        return request.get(JAVA_INT, UNION);
    }

    private static List<InterfaceAddress> addresses(String name) throws IOException {
        NetworkInterface found = NetworkInterface.getByName(name);
        return found == null ? List.of() : List.copyOf(found.getInterfaceAddresses());
    }

    /** The address of the system in a version of IP; link-local addresses do not count. */
    public Optional<InterfaceAddress> address(boolean ipv6) {
        return addresses.stream()
                .filter(each -> each.getAddress() instanceof Inet6Address == ipv6)
                .filter(each -> !each.getAddress().isLinkLocalAddress())
                .findFirst();
    }

    /**
     * The address of the system that is the other end for a host with an address in this version of IP.
     *
     * @throws IOException with a sentence if there is none
     */
    public InetAddress otherEnd(boolean ipv6) throws IOException {
        String version = ipv6 ? "IPv6" : "IPv4";
        String example = ipv6 ? "fd77::1/64 dev " + name + " nodad" : "10.77.0.1/24 dev " + name;
        return address(ipv6)
                .orElseThrow(() -> new IOException("the network device " + name + " has no " + version
                        + " address: give it one with 'ip address add " + example + "'"))
                .getAddress();
    }
}
