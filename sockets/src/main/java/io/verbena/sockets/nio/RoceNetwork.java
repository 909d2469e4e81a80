package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The stream network of a provider over RoCE. Its RNIC has one IP address of this machine: the device that the options name,
 * else the address that the first connecting or listening channel needs. TCP carries the connections if the RNIC cannot be opened,
 * and those for which its address does not serve.
 *
 * <p><b>One port, two protocols.</b> The RNIC listens at a port number only while this process listens at the TCP port of the same
 * address. So a peer that connects by RoCE reaches the program that TCP would reach.
 */
final class RoceNetwork {

    /** After a failure, channels use TCP for this time before the RNIC is tried again: another process may have the address for a moment. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** An address to which no host has a route of its own (RFC 5737, section 3); nothing is sent to it. */
    private static final InetAddress ELSEWHERE = InetAddress.ofLiteral("192.0.2.1");

    private final String device;
    private final Function<String, StreamNetwork> opener;

    // Guarded by this.
    private Optional<Opened> opened = Optional.empty();
    private Optional<Long> failedNs = Optional.empty();
    private String warned = "";

    private record Opened(StreamNetwork streams, InetAddress address) {}

    /**
     * Opens nothing yet.
     *
     * @param device the IP address of the RNIC; empty if the first use determines it
     * @param opener opens the network with an RNIC of this device; empty stands for a free loopback address
     */
    RoceNetwork(String device, Function<String, StreamNetwork> opener) {
        this.device = device;
        this.opener = opener;
    }

    /** Listens beside a TCP port that this process has; nothing if peers reach the port by TCP only. */
    Optional<StreamListener> listen(SocketAddress tcp, int backlog, Predicate<SocketAddress> admits) {
        if (!(tcp instanceof InetSocketAddress inet)) {
            return Optional.empty();
        }
        InetAddress local = inet.getAddress();
        return opened(() -> deviceAt(local))
                .filter(rnic -> covers(local, rnic.address))
                .flatMap(rnic -> listen(rnic, inet.getPort(), backlog, admits));
    }

    private static Optional<StreamListener> listen(
            Opened rnic, int port, int backlog, Predicate<SocketAddress> admits) {
        try {
            return Optional.of(rnic.streams.listen(new InetSocketAddress(rnic.address, port), backlog, admits));
        } catch (IOException | VerbsException e) {
            SetUpThread.log().log(Level.WARNING, "Peers reach port " + port + " by TCP only. " + e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * The network for a connection to a peer; nothing if TCP must carry it.
     *
     * @param bound the address to which the program has bound the channel
     */
    Optional<StreamNetwork> towards(InetAddress peer, Optional<SocketAddress> bound) {
        Optional<InetAddress> local = bound.map(InetSocketAddress.class::cast)
                .map(InetSocketAddress::getAddress)
                .filter(it -> !it.isAnyLocalAddress());
        RnicProvider provider = RnicProvider.named("roce");
        return opened(() -> local.map(provider::deviceAt).orElseGet(() -> provider.deviceTowards(peer)))
                .filter(rnic -> local.isEmpty() || local.get().equals(rnic.address))
                .filter(rnic -> reaches(rnic.address, peer))
                .map(Opened::streams);
    }

    private static String deviceAt(InetAddress local) {
        RnicProvider provider = RnicProvider.named("roce");
        if (!local.isAnyLocalAddress()) {
            return provider.deviceAt(local);
        }
        String routed = provider.deviceTowards(ELSEWHERE);
        return !routed.isEmpty()
                ? routed
                : provider.devices().stream()
                        .filter(each -> !InetAddress.ofLiteral(each).isLoopbackAddress())
                        .findFirst()
                        .orElse("");
    }

    /** Whether the process that listens by TCP at {@code local} also has the port at {@code address}. */
    static boolean covers(InetAddress local, InetAddress address) {
        // The JDK's socket at the unspecified IPv6 address accepts IPv4 too.
        return local.isAnyLocalAddress()
                ? local instanceof Inet6Address || address instanceof Inet4Address
                : local.equals(address);
    }

    /** Whether packets from {@code address} can be sent to the peer: those from a loopback address do not leave the host. */
    static boolean reaches(InetAddress address, InetAddress peer) {
        return address instanceof Inet4Address == peer instanceof Inet4Address
                && (!address.isLoopbackAddress() || Networks.onThisHost(peer));
    }

    private synchronized Optional<Opened> opened(Supplier<String> wanted) {
        if (opened.isEmpty() && !failedLately()) {
            opened = open(device.isEmpty() ? wanted.get() : device);
            failedNs = opened.isEmpty() ? Optional.of(System.nanoTime()) : Optional.empty();
        }
        return opened;
    }

    private boolean failedLately() {
        return failedNs.isPresent() && System.nanoTime() - failedNs.get() < PAUSE.toNanos();
    }

    private Optional<Opened> open(String name) {
        try {
            StreamNetwork streams = opener.apply(name);
            return Optional.of(new Opened(streams, address(streams)));
        } catch (IOException | VerbsException e) {
            String reason = String.valueOf(e.getMessage());
            if (!reason.equals(warned)) {
                warned = reason;
                SetUpThread.log().log(Level.WARNING, "Connections use TCP instead of RoCE. " + reason);
            }
            return Optional.empty();
        }
    }

    /** A listener at the unspecified address shows which one the RNIC has. */
    private static InetAddress address(StreamNetwork streams) throws IOException {
        try (StreamListener probe = streams.listen(new InetSocketAddress(0), 1)) {
            return ((InetSocketAddress) probe.localAddress()).getAddress();
        }
    }
}
