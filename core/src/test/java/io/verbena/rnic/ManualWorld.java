package io.verbena.rnic;

import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/** RNICs, streams in memory and a time that stands still: everything happens in the test's thread when it says so. */
final class ManualWorld implements AutoCloseable {

    private static final int MOST_ROUNDS = 200_000;

    final SplittableRandom random = new SplittableRandom(1);
    volatile long nowNs = 1_000_000_000L;

    final List<ManualEnvironment> environments = new ArrayList<>();
    final List<MemoryStream> streams = new ArrayList<>();
    private final Map<SocketAddress, StreamLoop.AcceptEvents> listeners = new HashMap<>();
    private int lastPort = 40_000;

    /** Where new streams come from, and listeners are. */
    String host = "memory";

    /** Bytes that a new stream holds each way. */
    int pipeBytes = 1 << 20;

    /** Connection attempts without a listener are not answered, instead of being refused. */
    boolean silent;

    /** Errors of the RNICs' own are survived, as outside of tests. */
    boolean expectsBugs;

    /** Runs when a stream is attached to an engine. */
    Runnable atAttach = () -> {};

    /** Runs when a thread waits and only the passage of time is left. */
    Runnable beforeTimePasses = () -> {};

    private final Transport transport;

    ManualWorld() {
        this(new IwarpTransport());
    }

    /** RNICs of this transport. */
    ManualWorld(Transport transport) {
        this.transport = transport;
        LoggedBugs.clear();
    }

    SoftRnic rnic() {
        return rnic(RnicOptions.defaults());
    }

    SoftRnic rnic(RnicOptions options) {
        ManualEnvironment environment = new ManualEnvironment(this, options.engines());
        environments.add(environment);
        SoftRnic rnic = new SoftRnic(environment, options, transport);
        environment.rnic(rnic);
        return rnic;
    }

    /** A round: streams tell, engines have a turn, handlers run. True if anything happened. */
    boolean round() {
        boolean any = false;
        for (MemoryStream stream : List.copyOf(streams)) {
            any |= stream.poll();
        }
        streams.removeIf(MemoryStream::closed);
        for (ManualEnvironment environment : List.copyOf(environments)) {
            any |= environment.drive();
        }
        if (!expectsBugs) {
            LoggedBugs.check();
        }
        return any;
    }

    /** Rounds until nothing happens any more. */
    void settle() {
        for (int i = 0; i < MOST_ROUNDS; i++) {
            if (!round()) {
                return;
            }
        }
        throw new AssertionError("the world does not come to rest");
    }

    /** One side's host hangs: neither its engines nor its streams do anything from now on. */
    void hang(SoftRnic rnic, SocketAddress localAddress) {
        environments.remove(ManualEnvironment.of(rnic));
        streams.removeIf(stream -> stream.localAddress().equals(localAddress));
    }

    /** Lets time go on, stopping at every deadline on the way. */
    void advance(long ns) {
        await(() -> false, ns);
    }

    boolean await(BooleanSupplier condition, long timeoutNs) {
        long endNs = nowNs + timeoutNs;
        for (int i = 0; i < MOST_ROUNDS; i++) {
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
        throw new AssertionError("the world does not come to rest");
    }

    /** Any address that is free. */
    InetSocketAddress address() {
        return InetSocketAddress.createUnresolved(host, ++lastPort);
    }

    /** The address that was given last. */
    InetSocketAddress lastAddress() {
        return InetSocketAddress.createUnresolved("memory", lastPort);
    }

    /** A stream from a test to a listener, without an RNIC on this end. */
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

    /** Where a test accepts streams itself. */
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
