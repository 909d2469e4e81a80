package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Two endpoints in one thread over real sockets, and a channel between them. The test can advance the clock. */
final class Pair implements AutoCloseable {

    private static final long PATIENCE_NS = 30_000_000_000L;

    final Rnic leftRnic;
    final Rnic rightRnic;
    final Inbox leftInbox = new Inbox();
    final Inbox rightInbox = new Inbox();
    final Endpoint left;
    final Endpoint right;
    final MemorySegment scratch = Arena.ofAuto().allocate(128, 64);
    long aheadNs;

    Pair(ChannelOptions options) throws IOException {
        this(options, options);
    }

    Pair(ChannelOptions leftOptions, ChannelOptions rightOptions) throws IOException {
        this(leftOptions, rightOptions, UnaryOperator.identity(), UnaryOperator.identity());
    }

    /** Over RNICs that are changed. */
    Pair(
            ChannelOptions leftOptions,
            ChannelOptions rightOptions,
            UnaryOperator<Rnic> leftChange,
            UnaryOperator<Rnic> rightChange)
            throws IOException {
        leftRnic = leftChange.apply(open());
        rightRnic = rightChange.apply(open());
        left = new Endpoint(leftRnic, leftOptions, leftInbox, this::nowNs, new java.util.Random(1));
        right = new Endpoint(rightRnic, rightOptions, rightInbox, this::nowNs, new java.util.Random(2));
    }

    private long nowNs() {
        return System.nanoTime() + aheadNs;
    }

    private static Rnic open() {
        return Rnic.open(RnicOptions.defaults().withProgress(Progress.INLINE));
    }

    /** A channel from left to right, open on both sides and settled: the first buffers are granted. */
    Link connect() throws IOException {
        return connect(listen());
    }

    SocketAddress listen() throws IOException {
        return right.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    Link connect(SocketAddress address) {
        int before = rightInbox.opened.size();
        Channel near = left.connect(address, new byte[] {1});
        until(() -> near.open() && rightInbox.opened.size() > before);
        Channel far = rightInbox.opened.getLast();
        until(() -> settled(near) && settled(far));
        return new Link(near, far);
    }

    static boolean settled(Channel channel) {
        return channel.figures().buffers().sendPayloadBytes() > 0
                && channel.flow(0).send().side().state() == io.verbena.messaging.protocol.SenderState.SETTLED;
    }

    void until(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            progress();
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, "the condition did not hold in time");
        }
    }

    void progress() {
        left.progress();
        right.progress();
    }

    /** Makes progress without an expectation. */
    void rounds(int count) {
        for (int i = 0; i < count; i++) {
            progress();
        }
    }

    @Override
    public void close() {
        left.close();
        right.close();
        leftRnic.close();
        rightRnic.close();
    }

    record Link(Channel near, Channel far) {}
}
