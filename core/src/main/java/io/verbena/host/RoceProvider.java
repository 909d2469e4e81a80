package io.verbena.host;

import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.socket.UdpPort;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.ib.InfinibandTransport;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.stream.Stream;

/**
 * The software RNIC with the InfiniBand transport over the UDP of the operating system (RoCEv2). Its device is a local IP
 * address, which one RNIC at a time can have, since the UDP port is fixed. Without a device it takes the first free
 * loopback address: 127.0.0.1, 127.0.0.2, and so on. Addresses after a comma are further ones of the same RNIC, for
 * paths of its
 * connections.
 */
public final class RoceProvider implements RnicProvider {

    private static final int LOOPBACK_ADDRESSES = 254;
    private static final int PRIVILEGED_PORTS = 1024;
    private static final int LOOPBACK_NETWORK = 127;

    /** Most addresses of an RNIC. */
    private static final int MOST_ADDRESSES = 4;

    private static final int ETHERNET_MTU_BYTES = 1500;
    private static final int LEAST_MTU_BYTES = 256;
    private static final int MOST_MTU_BYTES = 4096;

    /** IPv6, UDP, BTH, the longest extension headers, padding and ICRC. */
    private static final int LARGEST_HEADERS_BYTES = 40 + 8 + 12 + 40 + 4;

    /** For {@link java.util.ServiceLoader}. */
    public RoceProvider() {}

    @Override
    public String name() {
        return "roce";
    }

    @Override
    public String description() {
        String obstacle = EpollLoop.obstacle();
        return "Software RNIC: the InfiniBand transport over the UDP of the operating system (RoCEv2). "
                + (obstacle.isEmpty()
                        ? "It calls the sockets of Linux directly. "
                        : "It uses the sockets of the JDK. " + obstacle + " ")
                + "Its device is a local IP address; without one it takes a free loopback address.";
    }

    @Override
    public int priority() {
        return 50;
    }

    /** The IP addresses of this machine. */
    @Override
    public List<String> devices() {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .filter(address -> !address.isLinkLocalAddress())
                    .map(InetAddress::getHostAddress)
                    .map(text -> text.replaceAll("%.*", ""))
                    .sorted()
                    .toList();
        } catch (SocketException e) {
            return List.of();
        }
    }

    @Override
    public String deviceAt(InetAddress local) {
        return local.isAnyLocalAddress() ? "" : local.getHostAddress();
    }

    @Override
    public String deviceTowards(InetAddress peer) {
        if (peer.isAnyLocalAddress() || peer.isLoopbackAddress()) {
            return "";
        }
        try (DatagramSocket socket = new DatagramSocket()) {
            socket.connect(new InetSocketAddress(peer, 9)); // no packet is sent; the system chooses the local address
            InetAddress local = socket.getLocalAddress();
            return local.equals(peer) ? deviceBeside(peer) : local.getHostAddress();
        } catch (IOException | RuntimeException e) {
            return "";
        }
    }

    /**
     * A device that reaches an RNIC of this machine. That one has the address already, and loopback addresses reach all addresses
     * of the machine. IPv6 has a single loopback address; after it, any other free address serves.
     */
    private String deviceBeside(InetAddress peer) {
        if (peer instanceof Inet4Address) {
            return "";
        }
        return Stream.concat(Stream.of("::1"), devices().stream())
                .map(InetAddress::ofLiteral)
                .filter(it ->
                        it instanceof Inet6Address && !it.equals(peer) && free(it, InfinibandOptions.ROCE_UDP_PORT))
                .map(InetAddress::getHostAddress)
                .findFirst()
                .orElse("::1");
    }

    @Override
    public String obstacle() {
        return "";
    }

    @Override
    public RnicAttributes describe(RnicOptions options) {
        return SoftRnic.attributes(options, new InfinibandTransport(InetAddress.getLoopbackAddress()));
    }

    @Override
    public Rnic open(RnicOptions options) {
        return open(options, PacketFaults.none());
    }

    /**
     * Opens an RNIC with faults on every arriving packet, to test the reaction of an application.
     *
     * @throws VerbsException if an option cannot be satisfied, for example an address that another RNIC has
     */
    public Rnic open(RnicOptions options, PacketFaults faults) {
        HostEnvironment.checkProvider(options, name());
        return open(options, (fitting, addresses) -> open(fitting, faults, addresses));
    }

    /**
     * Opens an RNIC at the addresses that are its device, or at a free loopback address.
     *
     * @param opening opens it at these addresses, with options that fit them
     * @throws VerbsException if no address can be had
     */
    static Rnic open(RnicOptions options, BiFunction<RnicOptions, List<InetAddress>, Rnic> opening) {
        if (!options.device().isEmpty()) {
            return openAt(options, opening, addresses(options.device()));
        }
        List<VerbsException> failures = new ArrayList<>();
        for (int i = 1; i <= LOOPBACK_ADDRESSES; i++) {
            InetAddress address = loopback(i);
            if (free(address, options.infiniband().udpPort())) {
                try {
                    return opening.apply(fitting(options, List.of(address)), List.of(address));
                } catch (VerbsException e) {
                    if (!(e.getCause() instanceof BindException)) {
                        throw e;
                    }
                    failures.add(e); // another program was faster
                }
            }
        }
        VerbsException none = new VerbsException("No loopback address has a free UDP port "
                + options.infiniband().udpPort() + ". Name a device, that is, a local IP address.");
        failures.forEach(none::addSuppressed);
        throw none;
    }

    private static Rnic openAt(
            RnicOptions options,
            BiFunction<RnicOptions, List<InetAddress>, Rnic> opening,
            List<InetAddress> addresses) {
        try {
            return opening.apply(fitting(options, addresses), addresses);
        } catch (VerbsException e) {
            if (!(e.getCause() instanceof BindException)) {
                throw e;
            }
            int port = options.infiniband().udpPort();
            InetAddress address =
                    addresses.stream().filter(it -> !free(it, port)).findFirst().orElse(addresses.getFirst());
            throw new VerbsException(
                    "An RNIC with the IP address " + address.getHostAddress() + " cannot be opened: "
                            + obstacle(address, port),
                    e);
        }
    }

    /** Why a UDP port of an address cannot be had. A port that the system chooses fails only because of the address. */
    private static String obstacle(InetAddress address, int udpPort) {
        if (!free(address, 0)) {
            return "this machine has no such address. The devices of the provider are its addresses.";
        }
        return udpPort < PRIVILEGED_PORTS
                ? "UDP port " + udpPort + " is in use, or needs the privileges of root. Choose a port of 1024 or more."
                : "UDP port " + udpPort + " of this address is in use, probably by another RNIC. Use another address,"
                        + " because an address can have one RNIC at a time.";
    }

    private static InetAddress loopback(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {LOOPBACK_NETWORK, 0, 0, (byte) number});
        } catch (IOException e) {
            throw new AssertionError("an address of 4 bytes", e);
        }
    }

    private static boolean free(InetAddress address, int udpPort) {
        try (DatagramSocket _ = new DatagramSocket(new InetSocketAddress(address, udpPort))) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static List<InetAddress> addresses(String device) {
        List<InetAddress> all =
                Stream.of(device.split(",", -1)).map(RoceProvider::address).toList();
        if (Set.copyOf(all).size() != all.size()) {
            throw new VerbsException("The device '" + device + "' has an address twice.");
        }
        if (all.stream().map(InetAddress::getClass).distinct().count() > 1) {
            throw new VerbsException(
                    "The addresses of the device '" + device + "' are not all of IPv4 or all of IPv6.");
        }
        if (all.size() > MOST_ADDRESSES) {
            throw new VerbsException("An RNIC can have " + MOST_ADDRESSES + " addresses, not the " + all.size()
                    + " of '" + device + "'.");
        }
        return all;
    }

    private static InetAddress address(String device) {
        try {
            InetAddress address = InetAddress.ofLiteral(device);
            if (!address.isAnyLocalAddress() && !address.isMulticastAddress()) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            throw new VerbsException(noDevice(device), e);
        }
        throw new VerbsException(noDevice(device));
    }

    private static String noDevice(String device) {
        return "A device of the provider roce is an IP address of this machine, such as 127.0.0.2, not '" + device
                + "'.";
    }

    /** The largest path MTU whose packets fit the interface with this address. */
    private static int pathMtuBytes(InetAddress address) {
        int interfaceBytes;
        try {
            Optional<NetworkInterface> found = UdpPort.interfaceOf(address);
            interfaceBytes = found.isEmpty() ? ETHERNET_MTU_BYTES : found.get().getMTU();
        } catch (IOException e) {
            interfaceBytes = ETHERNET_MTU_BYTES; // opening the port reports what is wrong
        }
        int payload = Math.clamp((long) interfaceBytes - LARGEST_HEADERS_BYTES, LEAST_MTU_BYTES, MOST_MTU_BYTES);
        return Integer.highestOneBit(payload);
    }

    private static RnicOptions fitting(RnicOptions requested, List<InetAddress> addresses) {
        return requested.infiniband().pathMtuBytes() != 0
                ? requested
                : requested.withInfiniband(it -> it.withPathMtuBytes(addresses.stream()
                        .mapToInt(RoceProvider::pathMtuBytes)
                        .min()
                        .orElseThrow()));
    }

    private static Rnic open(RnicOptions options, PacketFaults faults, List<InetAddress> addresses) {
        HostEnvironment environment = new HostEnvironment(options, FaultPlan.none(), faults);
        return environment.open(() -> new SoftRnic(environment, options, transport(environment, options, addresses)));
    }

    private static InfinibandTransport transport(
            HostEnvironment environment, RnicOptions options, List<InetAddress> addresses) {
        return ConnectionFile.of(options)
                .map(file -> new InfinibandTransport(
                        addresses, environment.keep(file).memory()))
                .orElseGet(() -> new InfinibandTransport(addresses));
    }
}
