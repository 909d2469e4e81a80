package io.verbena.tools.messaging;

import io.verbena.messaging.channel.Channel;
import io.verbena.messaging.channel.ChannelListener;
import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.channel.Element;
import io.verbena.messaging.channel.Endpoint;
import io.verbena.messaging.channel.TransferVector;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Two endpoints in one thread with many channels between them, over real sockets; what they register is counted. */
public final class ManyChannels implements AutoCloseable {

    private static final long LONGEST_NS = 60_000_000_000L;

    private final StopSignal stop;
    private final Rnic nearRnic;
    private final Rnic farRnic;
    private final Sink near = new Sink();
    private final Sink far = new Sink();
    private final Endpoint nearEnd;
    private final Endpoint farEnd;
    private final SocketAddress address;
    private final MemorySegment bytes;
    private final TransferVector vector = new TransferVector();

    /** Counts what comes. */
    private static final class Sink implements ChannelListener {
        final List<Channel> open = new ArrayList<>();
        long elements;

        @Override
        public void opened(Channel channel) {
            open.add(channel);
        }

        @Override
        public boolean arrived(Channel channel, Element element) {
            elements++;
            return true;
        }
    }

    /** Opens both ends. */
    public ManyChannels(ChannelOptions options, int largestElement, StopSignal stop) throws IOException {
        this.stop = stop;
        RnicOptions rnic = RnicOptions.defaults().withProgress(Progress.INLINE);
        nearRnic = Rnic.open(rnic);
        farRnic = Rnic.open(rnic);
        nearEnd = new Endpoint(nearRnic, options, near);
        farEnd = new Endpoint(farRnic, options, far);
        address = farEnd.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        bytes = Arena.ofAuto().allocate(Math.max(1, largestElement));
    }

    /** Adds connections, up to this many. */
    public void connect(int count, ProgressBar bar) throws Failure {
        while (near.open.size() < count) {
            int before = near.open.size();
            nearEnd.connect(address, new byte[0]);
            until(() -> near.open.size() > before && far.open.size() > before, "a connection was not established");
            bar.update(near.open.size(), System.nanoTime());
        }
        until(() -> settled(near.open) && settled(far.open), "the first buffers were not acknowledged");
    }

    private static boolean settled(List<Channel> channels) {
        for (Channel channel : channels) {
            if (channel.figures().buffers().sendPayloadBytes() == 0) {
                return false;
            }
        }
        return true;
    }

    /** Sends an element over a channel and back; waits for both. */
    public void roundTrip(int channel, int length) throws Failure {
        transfer(near.open.get(channel), length, far);
        transfer(far.open.get(channel), length, near);
    }

    private void transfer(Channel channel, int length, Sink sink) throws Failure {
        long before = sink.elements;
        vector.clear().add(bytes, 0, length);
        until(
                () -> {
                    if (!vector.done()) {
                        channel.transfer(0, vector);
                    }
                    return vector.done() && sink.elements > before;
                },
                "a message did not arrive");
    }

    /** Lets time pass until all channels registered at most this much, both sides of one connection; false if they do not. */
    public boolean idleUntil(long bytesEach, long longestNs) {
        long startNs = System.nanoTime();
        while (registeredBytes() > bytesEach * near.open.size()) {
            progress();
            if (System.nanoTime() - startNs > longestNs) {
                return false;
            }
        }
        return true;
    }

    /** Registered bytes of both sides of all connections. */
    public long registeredBytes() {
        return nearEnd.registeredBytes() + farEnd.registeredBytes();
    }

    /** The same of one connection. */
    public double bytesEach() {
        return (double) registeredBytes() / near.open.size();
    }

    public int connections() {
        return near.open.size();
    }

    /** Enlargements of both sides. */
    public long enlargements() {
        long count = 0;
        for (int i = 0; i < near.open.size(); i++) {
            count += near.open.get(i).figures().changes().enlargements()
                    + far.open.get(i).figures().changes().enlargements();
        }
        return count;
    }

    private void progress() {
        stop.check();
        nearEnd.progress();
        farEnd.progress();
    }

    private void until(BooleanSupplier condition, String problem) throws Failure {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            progress();
            if (System.nanoTime() - startNs > LONGEST_NS) {
                throw new Failure("After " + near.open.size() + " connections " + problem + " in time");
            }
        }
    }

    @Override
    public void close() {
        nearEnd.abort();
        farEnd.abort();
        nearRnic.close();
        farRnic.close();
    }
}
