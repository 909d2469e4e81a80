package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.LocalAddresses;
import io.verbena.sockets.nio.opening.Peers;
import io.verbena.sockets.nio.opening.RingLines;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.ring.channel.RingAnswering;
import io.verbena.sockets.ring.channel.RingSocket;
import io.verbena.sockets.stream.EngineDriver;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostSharing;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
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

    /** The interfaces are those of the host, whichever provider asks. */
    private static final LocalAddresses LOCAL = new LocalAddresses(LocalAddresses::ofInterfaces, System::nanoTime);

    private final SelectorProvider jdk;
    private final SocketsOptions options;
    private final RoceNetwork roce;
    private final Connections connections = new Connections();
    private final Peers peers = new Peers();
    private final RingTotals rings = new RingTotals();
    private volatile @Nullable StreamNetwork streams;

    /** Null at first. */
    private @Nullable Optional<HostSharing> sharing;

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

    /** What is known of the peers. */
    Peers peers() {
        return peers;
    }

    /** What streams of rings have done. */
    RingTotals rings() {
        return rings;
    }

    SetUpThread setUp() {
        SetUpThread thread = SetUpThread.of(jdk);
        NativeTransports.watch(thread);
        return thread;
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
        return options.overRoce()
                ? roce.listen(tcp, backlog, peer -> peer instanceof InetSocketAddress inet && options.accepts(inet))
                : Optional.empty();
    }

    /** What the sockets over RDMA have done; nothing if there was none. */
    synchronized List<StreamTotals> totals() {
        StreamNetwork opened = streams;
        return rings.with(opened == null ? List.of() : opened.totals());
    }

    /** The waits for streams, if there can be any. */
    @Nullable
    EngineDriver driver() {
        StreamNetwork opened = streams;
        return opened == null ? null : opened.driver();
    }

    /** What this process shares with others on this host; no RNIC is opened for it. */
    private synchronized Optional<HostSharing> sharing() {
        Optional<HostSharing> found = sharing;
        if (found == null) {
            found = options.sharesMemory()
                    ? RnicProvider.named(options.provider()).hostSharing()
                    : Optional.empty();
            sharing = found;
        }
        return found;
    }

    /** States that a listening address accepts shared memory. */
    AnnouncedAddress announce(SocketAddress listening) {
        return sharing().map(ours -> ours.announce(listening)).orElse(() -> {});
    }

    /**
     * States that an address accepts shared memory, before a channel listens there: a client that connects at once would not find the name.
     * Empty if the system chooses the port, or if the port is in use: its owner may be plain.
     */
    Optional<AnnouncedAddress> announceEarly(@Nullable SocketAddress local) {
        return sharing().isPresent()
                        && local instanceof InetSocketAddress inet
                        && inet.getPort() > 0
                        && !inet.isUnresolved()
                        && free(inet)
                ? sharing().map(ours -> ours.announce(inet))
                : Optional.empty();
    }

    /** Opens the RNIC if connections of this host will need it: what takes long is done before a peer waits. */
    void prepare() {
        if (options.sharesMemory() && !options.rings()) {
            streams();
        }
    }

    /** Whether nothing listens at an address of this host: a socket with SO_REUSEADDR has it together with all others that do not listen. */
    private boolean free(InetSocketAddress local) {
        try (SocketChannel other = jdk.openSocketChannel()) {
            other.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            other.bind(local);
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Memory for rings, if this process uses them. */
    Optional<HostMemory> hostMemory() {
        Optional<HostSharing> ours = options.rings() ? sharing() : Optional.empty();
        return ours.isPresent() ? Optional.of(ours.get().memory()) : Optional.empty();
    }

    /** Counts a stream of rings, and lets threads that wait for it sleep in the shared memory. */
    void addRings(RingSocket socket) {
        Optional<HostMemory> memory = hostMemory();
        if (memory.isPresent()) {
            socket.watchBy(new RingLines(setUp(), memory.get()));
        }
        rings.add(socket);
    }

    /** Answers a whole offer of rings on an accepted connection; empty if it is refused. */
    Optional<RingSocket> answerRings(SocketChannel tcp, byte[] offer) throws IOException {
        return RingAnswering.answer(tcp, hostMemory(), offer, ThreadLocalRandom.current());
    }

    /** How to connect to an address. Asking sends nothing. */
    Approach approach(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress inet) || inet.isUnresolved() || peers.of(inet) == Peers.Kind.PLAIN) {
            return Approach.PLAIN;
        }
        if (onThisHost(inet.getAddress())) {
            Optional<HostSharing> ours = sharing();
            if (ours.isPresent() && ours.get().announced(inet)) {
                return Approach.MEMORY;
            }
        }
        if (!options.lists(inet)) {
            return Approach.PLAIN;
        }
        return options.overRoce() ? Approach.ROCE : Approach.CONVERSION;
    }

    /** Why {@link #approach} is to connect by TCP alone. */
    String whyPlain(SocketAddress remote) {
        if (!(remote instanceof InetSocketAddress inet) || inet.isUnresolved()) {
            return "the address is none of IP";
        }
        return peers.of(inet) == Peers.Kind.PLAIN
                ? "the peer speaks another protocol"
                : "the option rdma does not have the peer" + whyNoMemory(inet);
    }

    private String whyNoMemory(InetSocketAddress peer) {
        if (!options.sharesMemory()) {
            return "";
        }
        if (!onThisHost(peer.getAddress())) {
            return ", which is another host";
        }
        return sharing().isEmpty() ? ", and this process cannot share memory" : ", and it announces no shared memory";
    }

    /** No RNIC is opened for a program that connects to other hosts only. */
    static boolean onThisHost(InetAddress address) {
        return LOCAL.contain(address);
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
