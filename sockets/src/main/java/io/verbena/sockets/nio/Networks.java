package io.verbena.sockets.nio;

import io.verbena.sockets.stream.EngineDriver;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What all channels of a provider share: the provider of the JDK, the stream network, which is opened when it is first
 * needed, and the peers that are known not to speak RDMA.
 */
final class Networks {

    /** How a peer is reached first. Whatever fails is tried by plain TCP then. */
    enum Approach {
        /** By TCP alone. */
        PLAIN,
        /** By TCP, and the connection is converted. */
        CONVERSION,
        /** By an offer of shared memory, because the peer accepts it. */
        MEMORY,
        /** By the connection management of RoCE, without TCP. */
        ROCE
    }

    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    /** Peers to remember; when there are more, all are forgotten and tried again. */
    private static final int MOST_REMEMBERED = 10_000;

    private final SelectorProvider jdk;
    private final SocketsOptions options;
    private final RoceNetwork roce;
    private final Connections connections = new Connections();
    private final Map<SocketAddress, Long> plainSinceNs = new ConcurrentHashMap<>();
    private volatile @Nullable StreamNetwork streams;
    private @Nullable SocketChannel optionProbe;

    Networks(SelectorProvider jdk, SocketsOptions options) {
        this.jdk = jdk;
        this.options = options;
        roce = new RoceNetwork(options.device(), this::open);
    }

    SelectorProvider jdk() {
        return jdk;
    }

    SocketsOptions options() {
        return options;
    }

    Connections connections() {
        return connections;
    }

    /** The network of all providers but {@code roce}. */
    synchronized StreamNetwork streams() {
        StreamNetwork opened = streams;
        return opened == null ? open("") : opened;
    }

    private synchronized StreamNetwork open(String device) {
        RnicOptions rnic =
                RnicOptions.defaults().withProvider(options.provider()).withDevice(device);
        StreamNetwork opened = StreamNetwork.open(rnic, options.streams());
        streams = opened;
        opened.flushAtExit();
        return opened;
    }

    RoceNetwork roce() {
        return roce;
    }

    /** Listens by RoCE beside a TCP port, if that is the provider and the RNIC can have the port. */
    Optional<StreamListener> listen(SocketAddress tcp, int backlog) {
        return options.overRoce() ? roce.listen(tcp, backlog) : Optional.empty();
    }

    /** What the sockets over RDMA have done; nothing if there was none. */
    synchronized List<StreamTotals> totals() {
        StreamNetwork opened = streams;
        return opened == null ? List.of() : opened.totals();
    }

    /** The waits for streams, if there can be any. */
    @Nullable
    EngineDriver driver() {
        StreamNetwork opened = streams;
        return opened == null ? null : opened.driver();
    }

    /** States that a listening address accepts shared memory. */
    AnnouncedAddress announce(SocketAddress listening) {
        return options.sharesMemory() ? streams().announce(listening) : () -> {};
    }

    /** How to connect to an address. Asking sends nothing. */
    Approach approach(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress inet) || inet.isUnresolved() || knownPlain(inet)) {
            return Approach.PLAIN;
        }
        if (options.sharesMemory() && onThisHost(inet.getAddress()) && streams().announced(inet)) {
            return Approach.MEMORY;
        }
        if (!options.lists(inet)) {
            return Approach.PLAIN;
        }
        return options.overRoce() ? Approach.ROCE : Approach.CONVERSION;
    }

    /** No RNIC is opened for a program that connects to other hosts only. */
    static boolean onThisHost(InetAddress address) {
        try {
            return address.isLoopbackAddress()
                    || address.isAnyLocalAddress()
                    || NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            return false; // the system does not show its interfaces: TCP reaches the peer
        }
    }

    /** Whether the peer was found within the last minute not to speak RDMA. */
    boolean knownPlain(SocketAddress peer) {
        Long sinceNs = plainSinceNs.get(peer);
        if (sinceNs == null) {
            return false;
        }
        if (System.nanoTime() - sinceNs < REMEMBERED.toNanos()) {
            return true;
        }
        plainSinceNs.remove(peer, sinceNs);
        return false;
    }

    void rememberPlain(SocketAddress peer) {
        if (plainSinceNs.size() >= MOST_REMEMBERED) {
            plainSinceNs.clear();
        }
        plainSinceNs.put(peer, System.nanoTime());
    }

    /** Checks a value as the JDK does; returns what the option then has. */
    synchronized <T> T checkOption(SocketOption<T> name, T value) throws IOException {
        SocketChannel probe = optionProbe();
        T before = probe.getOption(name);
        probe.setOption(name, value);
        T after = probe.getOption(name);
        probe.setOption(name, before);
        return after;
    }

    synchronized <T> T defaultOption(SocketOption<T> name) throws IOException {
        return optionProbe().getOption(name);
    }

    private SocketChannel optionProbe() throws IOException {
        SocketChannel probe = optionProbe;
        if (probe == null || !probe.isOpen()) {
            probe = jdk.openSocketChannel();
            optionProbe = probe;
        }
        return probe;
    }
}
