package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

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
record SystemInterface(String name, int index, int mtu, List<InterfaceAddress> addresses) {

    private static final int NAME_BYTES = 15;
    private static final long SIOCGIFFLAGS = 0x8913;
    private static final int IFF_UP = 1;

    /** struct ifreq, and the flags in it. */
    private static final int IFREQ_BYTES = 40;

    private static final int UNION = 16;

    /**
     * Looks up an interface, which must be up.
     *
     * @param remedy what to do if there is none
     * @throws IOException with a sentence
     */
    static SystemInterface find(String name, String remedy) throws IOException {
        if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > NAME_BYTES) {
            throw new IOException("'" + name + "' is not the name of a network device: it must have 1 to 15 bytes");
        }
        NetworkInterface found = NetworkInterface.getByName(name);
        if (found == null) {
            throw new IOException("there is no network device '" + name + "' in this network namespace: " + remedy);
        }
        if (!isUp(name)) {
            throw new IOException(
                    "the network device " + name + " is down: enable it with 'ip link set " + name + " up'");
        }
        return new SystemInterface(name, found.getIndex(), found.getMTU(), List.copyOf(found.getInterfaceAddresses()));
    }

    /** NetworkInterface.isUp is false for a TUN or TAP device that no program uses. */
    private static boolean isUp(String name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            MemorySegment request = arena.allocate(IFREQ_BYTES, 8);
            byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
            MemorySegment.copy(bytes, 0, request, JAVA_BYTE, 0, bytes.length);
            int socket = Linux.datagramSocket(state, Linux.AF_INET);
            if (socket < 0) {
                throw LinuxSockets.exception(-socket, "socket");
            }
            int outcome = Linux.ioctl(state, socket, SIOCGIFFLAGS, request.address());
            Linux.close(state, socket);
            return outcome >= 0 && (request.get(JAVA_SHORT, UNION) & IFF_UP) != 0;
        }
    }

    /** The address of the system in a version of IP; link-local addresses do not count. */
    Optional<InterfaceAddress> address(boolean ipv6) {
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
    InetAddress otherEnd(boolean ipv6) throws IOException {
        String version = ipv6 ? "IPv6" : "IPv4";
        String example = ipv6 ? "fd77::1/64 dev " + name + " nodad" : "10.77.0.1/24 dev " + name;
        return address(ipv6)
                .orElseThrow(() -> new IOException("the network device " + name + " has no " + version
                        + " address: give it one with 'ip address add " + example + "'"))
                .getAddress();
    }
}
