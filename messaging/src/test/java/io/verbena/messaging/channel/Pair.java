package io.verbena.messaging.channel;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.MessagingOptions;
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

    /** Through shared memory, whose sides access memory of each other. */
    static Pair direct() throws IOException {
        RnicOptions shared = MessagingOptions.defaults().rnic().withProvider("shm");
        Pair pair = new Pair(
                ChannelOptions.defaults(),
                ChannelOptions.defaults(),
                UnaryOperator.identity(),
                UnaryOperator.identity(),
                shared);
        pair.left.allowDirect();
        pair.right.allowDirect();
        return pair;
    }

    /** Over RNICs that are changed. */
    Pair(
            ChannelOptions leftOptions,
            ChannelOptions rightOptions,
            UnaryOperator<Rnic> leftChange,
            UnaryOperator<Rnic> rightChange)
            throws IOException {
        this(
                leftOptions,
                rightOptions,
                leftChange,
                rightChange,
                RnicOptions.defaults().withProgress(Progress.INLINE));
    }

    private Pair(
            ChannelOptions leftOptions,
            ChannelOptions rightOptions,
            UnaryOperator<Rnic> leftChange,
            UnaryOperator<Rnic> rightChange,
            RnicOptions options)
            throws IOException {
        leftRnic = leftChange.apply(Rnic.open(options));
        rightRnic = rightChange.apply(Rnic.open(options));
        left = new Endpoint(leftRnic, leftOptions, leftInbox, this::nowNs, new java.util.Random(1));
        right = new Endpoint(rightRnic, rightOptions, rightInbox, this::nowNs, new java.util.Random(2));
    }

    private long nowNs() {
        return System.nanoTime() + aheadNs;
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
