package io.verbena.rnic;

import io.verbena.port.ByteStream;
import io.verbena.port.PacketFaults;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.rnic.ib.InfinibandTransport;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.InfinibandOptions;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;

/**
 * RNICs, streams in memory and manual time: everything happens in the thread of the test, when the test requests it.
 */
final class ManualWorld implements AutoCloseable {

    private static final int MAX_ROUNDS = 200_000;

    final SplittableRandom random = new SplittableRandom(1);
    volatile long nowNs = 1_000_000_000L;

    final List<ManualEnvironment> environments = new ArrayList<>();
    final List<MemoryStream> streams = new ArrayList<>();
    private final Map<SocketAddress, StreamLoop.AcceptEvents> listeners = new HashMap<>();
    private int lastPort = 40_000;

    /** Host name of new streams and listeners. */
    String host = "memory";

    /** Number of bytes that a new stream buffers in each direction. */
    int pipeBytes = 1 << 20;

    /** If true, connects to an address without a listener remain unanswered instead of being refused. */
    boolean silent;

    /** If true, bugs of the RNICs do not fail the test. */
    boolean expectsBugs;

    /** Runs when a stream is attached to an engine. */
    Runnable atAttach = () -> {};

    /** Runs when a thread waits and no event is possible before time advances. */
    Runnable beforeTimePasses = () -> {};

    /** The packet network, beside the streams. */
    final MemoryPackets packets = new MemoryPackets();

    /** Faults of the packet ports of new RNICs. */
    PacketFaults packetFaults = PacketFaults.none();

    private final IntFunction<Transport> transports;
    private final IntFunction<InetSocketAddress> addresses;
    private int rnics;

    ManualWorld() {
        this(new IwarpTransport());
    }

    /** A world for RNICs of this transport. */
    ManualWorld(Transport transport) {
        transports = number -> transport;
        addresses = port -> InetSocketAddress.createUnresolved(host, port);
        LoggedBugs.clear();
    }

    private ManualWorld(IntFunction<Transport> transports, IntFunction<InetSocketAddress> addresses) {
        this.transports = transports;
        this.addresses = addresses;
        LoggedBugs.clear();
    }

    /** A world of RoCE RNICs at 10.0.0.1, 10.0.0.2 and so on. */
    static ManualWorld roce() {
        return new ManualWorld(
                number -> new InfinibandTransport(roceAddress(number).getAddress()),
                port -> new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port));
    }

    /** The UDP address of a RoCE RNIC, by its number from 1. */
    static InetSocketAddress roceAddress(int number) {
        return new InetSocketAddress(InetAddress.ofLiteral("10.0.0." + number), InfinibandOptions.ROCE_UDP_PORT);
    }

    SoftRnic rnic() {
        return rnic(RnicOptions.defaults());
    }

    SoftRnic rnic(RnicOptions options) {
        ManualEnvironment environment = new ManualEnvironment(this, options.engines());
        SoftRnic rnic = new SoftRnic(environment, options, transports.apply(++rnics));
        environment.rnic(rnic);
        environments.add(environment);
        return rnic;
    }

    /** One round: streams report readiness, engines have a turn, handlers run. Returns whether anything happened. */
    boolean round() {
        boolean any = false;
        for (MemoryStream stream : List.copyOf(streams)) {
            any |= stream.poll();
        }
        streams.removeIf(MemoryStream::closed);
        any |= packets.poll();
        for (ManualEnvironment environment : List.copyOf(environments)) {
            any |= environment.drive();
        }
        if (!expectsBugs) {
            LoggedBugs.check();
        }
        return any;
    }

    /** Executes rounds until nothing happens. */
    void settle() {
        for (int i = 0; i < MAX_ROUNDS; i++) {
            if (!round()) {
                return;
            }
        }
        throw new AssertionError("the world does not settle");
    }

    /** Hangs one host: its engines and streams do nothing from now on. */
    void hang(SoftRnic rnic, SocketAddress localAddress) {
        environments.remove(ManualEnvironment.of(rnic));
        streams.removeIf(stream -> stream.localAddress().equals(localAddress));
    }

    /** Advances the time, stopping at every deadline. */
    void advance(long ns) {
        await(() -> false, ns);
    }

    boolean await(BooleanSupplier condition, long timeoutNs) {
        long endNs = nowNs + timeoutNs;
        for (int i = 0; i < MAX_ROUNDS; i++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            if (round()) {
                continue;
            }
            if (nowNs - endNs >= 0) {
                return false;
            }
            beforeTimePasses.run();
            if (condition.getAsBoolean()) {
                return true;
            }
            long next = endNs;
            for (ManualEnvironment environment : environments) {
                long deadlineNs = environment.nextDeadlineNs();
                if (deadlineNs != Long.MAX_VALUE && deadlineNs - next < 0) {
                    next = deadlineNs;
                }
            }
            nowNs = next - nowNs > 0 ? next : nowNs + 1;
        }
        throw new AssertionError("the world does not settle");
    }

    /** An unused address. */
    InetSocketAddress address() {
        return addresses.apply(++lastPort);
    }

    /** The address returned last. */
    InetSocketAddress lastAddress() {
        return InetSocketAddress.createUnresolved("memory", lastPort);
    }

    /** Connects a stream of the test to a listener, without an RNIC on this end. */
    MemoryStream dial(SocketAddress remote) {
        return open(remote).orElseThrow();
    }

    private Optional<MemoryStream> open(SocketAddress remote) {
        StreamLoop.AcceptEvents listener = listeners.get(remote);
        if (listener == null) {
            return Optional.empty();
        }
        MemoryPipe there = new MemoryPipe(pipeBytes);
        MemoryPipe back = new MemoryPipe(pipeBytes);
        SocketAddress local = address();
        MemoryStream near = new MemoryStream(back, there, local, remote);
        MemoryStream far = new MemoryStream(there, back, remote, local);
        near.peer(far);
        far.peer(near);
        streams.add(near);
        streams.add(far);
        listener.onAccepted(far);
        return Optional.of(near);
    }

    /** Accepts streams for the test at an address. */
    List<MemoryStream> acceptAt(SocketAddress address) {
        List<MemoryStream> accepted = new ArrayList<>();
        listeners.put(address, stream -> accepted.add((MemoryStream) stream));
        return accepted;
    }

    StreamLoop loop() {
        return new Loop();
    }

    private final class Loop implements StreamLoop {

        @Override
        public void connect(SocketAddress remote, ConnectEvents events) {
            Optional<MemoryStream> stream = open(remote);
            if (stream.isPresent()) {
                events.onConnected(stream.get());
            } else if (!silent) {
                events.onConnectFailed(true, "Nothing listens at " + remote + ".");
            }
        }

        @Override
        public Acceptor listen(SocketAddress local, int backlog, AcceptEvents events) throws IOException {
            if (listeners.putIfAbsent(local, events) != null) {
                throw new IOException("the address " + local + " is in use");
            }
            return new Acceptor() {
                @Override
                public SocketAddress localAddress() {
                    return local;
                }

                @Override
                public void close() {
                    listeners.remove(local);
                }
            };
        }

        @Override
        public void attach(ByteStream stream, StreamEvents events) {
            atAttach.run();
            ((MemoryStream) stream).events(Optional.of(events));
        }

        @Override
        public void detach(ByteStream stream) {
            ((MemoryStream) stream).events(Optional.empty());
        }
    }

    @Override
    public void close() {
        for (ManualEnvironment environment : List.copyOf(environments)) {
            environment.rnic().close();
        }
    }
}
