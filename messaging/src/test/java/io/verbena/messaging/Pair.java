package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Two endpoints in one thread over real sockets, and a channel between them. The clock is the test's own. */
final class Pair implements AutoCloseable {

    private static final long PATIENCE_NS = 30_000_000_000L;

    final Rnic leftRnic = open();
    final Rnic rightRnic = open();
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
        return channel.figures().sendPayloadBytes() > 0
                && channel.flow(0).send().side().state() == io.verbena.messaging.protocol.SenderState.SETTLED;
    }

    void until(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            progress();
            assertTrue(System.nanoTime() - startNs < PATIENCE_NS, "it did not come in time");
        }
    }

    void progress() {
        left.progress();
        right.progress();
    }

    /** A few rounds in which nothing is expected. */
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

    static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (seed * 31 + i * 7 + (i >> 8));
        }
        return bytes;
    }

    static MemorySegment segment(int length, int seed) {
        MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, length));
        MemorySegment.copy(bytes(length, seed), 0, segment, ValueLayout.JAVA_BYTE, 0, length);
        return segment;
    }

    /** Keeps what comes. */
    static final class Inbox implements ChannelListener {
        final List<Channel> opened = new ArrayList<>();
        final Deque<byte[]> arrived = new ArrayDeque<>();
        final List<String> ended = new ArrayList<>();
        boolean takes = true;

        @Override
        public void opened(Channel channel) {
            opened.add(channel);
        }

        @Override
        public boolean arrived(Channel channel, Element element) {
            if (takes) {
                arrived.add(element.toBytes());
            }
            return takes;
        }

        @Override
        public void ended(Channel channel, String reason) {
            ended.add(reason);
        }

        void expect(byte[] wanted) {
            byte[] found = arrived.removeFirst();
            assertTrue(Arrays.equals(wanted, found), "another element of " + found.length + " bytes");
        }
    }
}
