package io.verbena.sockets.nio;

import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A channel of the JDK. One that was accepted from a silent peer is undecided: it becomes a stream over RDMA if its first
 * bytes ask for that and the program has not written before.
 */
final class PlainCarrier implements Carrier {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /** Whether the channel remains a channel of the JDK. */
    enum Decision {
        UNDECIDED,
        PLAIN,
        /** The peer has asked for RDMA, and the channel is leaving its selectors. */
        RDMA
    }

    private final SocketChannel jdk;
    private final AtomicReference<Decision> decision;

    /** Bytes that were read for the decision: before it those before the position, after it those that remain. */
    private volatile ByteBuffer first;

    private PlainCarrier(SocketChannel jdk, Decision decision, ByteBuffer first) {
        this.jdk = jdk;
        this.decision = new AtomicReference<>(decision);
        this.first = first;
    }

    static PlainCarrier of(SocketChannel jdk) {
        return new PlainCarrier(jdk, Decision.PLAIN, NOTHING);
    }

    /** A channel whose first bytes are in {@code first}, before the position. */
    static PlainCarrier undecided(SocketChannel jdk, ByteBuffer first) {
        return new PlainCarrier(jdk, Decision.UNDECIDED, first);
    }

    SocketChannel jdk() {
        return jdk;
    }

    Decision decision() {
        return decision.get();
    }

    /** Decides for TCP, unless the peer has asked for RDMA before. Returns whether it is TCP. */
    boolean decidePlain() {
        if (decision.compareAndSet(Decision.UNDECIDED, Decision.PLAIN) && first != NOTHING) {
            first = first.flip();
        }
        return decision.get() == Decision.PLAIN;
    }

    /** Decides from the first bytes, if they are enough for that. {@code ended}: no more will come. */
    void decide(boolean ended) {
        switch (FirstBytes.kind(first)) {
            case PLAIN -> decidePlain();
            case REQUEST -> decision.compareAndSet(Decision.UNDECIDED, Decision.RDMA);
            case INCOMPLETE -> {
                if (ended) {
                    decidePlain();
                }
            }
        }
    }

    /** Reads first bytes of an undecided channel. Returns as {@link SocketChannel#read} does. */
    int readFirst() throws IOException {
        if (first == NOTHING) {
            first = ByteBuffer.allocate(FirstBytes.MOST);
        }
        int bytes = jdk.read(first);
        decide(bytes < 0);
        return bytes;
    }

    /** The request for RDMA, and what follows it. */
    byte[] request() {
        byte[] bytes = new byte[first.position()];
        first.get(0, bytes);
        return bytes;
    }

    /** Whether first bytes are left to be read. */
    boolean hasFirst() {
        return decision.get() == Decision.PLAIN && first.hasRemaining();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return hasFirst() ? takeFirst(targets, offset, length) : jdk.read(targets, offset, length);
    }

    int read(ByteBuffer target) throws IOException {
        return hasFirst() ? (int) takeFirst(new ByteBuffer[] {target}, 0, 1) : jdk.read(target);
    }

    private long takeFirst(ByteBuffer[] targets, int offset, int length) {
        ByteBuffer from = first;
        int before = from.remaining();
        for (int i = offset; i < offset + length && from.hasRemaining(); i++) {
            int bytes = Math.min(from.remaining(), targets[i].remaining());
            targets[i].put(from.slice(from.position(), bytes));
            from.position(from.position() + bytes);
        }
        int taken = before - from.remaining();
        if (!from.hasRemaining()) {
            first = NOTHING;
        }
        return taken;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return jdk.write(sources, offset, length);
    }

    @Override
    public int readyOps() {
        return hasFirst() ? SelectionKey.OP_READ : 0;
    }

    @Override
    public void shutdownInput() throws IOException {
        jdk.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        jdk.shutdownOutput();
    }

    @Override
    public Optional<SocketAddress> localAddress() throws IOException {
        return Optional.ofNullable(jdk.getLocalAddress());
    }

    @Override
    public Optional<SocketAddress> remoteAddress() throws IOException {
        return Optional.ofNullable(jdk.getRemoteAddress());
    }

    /** The channel knows by SO_LINGER whether to reset the connection. */
    @Override
    public void close(boolean reset) throws IOException {
        jdk.close();
    }

    @Override
    public SocketTransport transport() {
        return decision.get() == Decision.PLAIN ? SocketTransport.TCP : SocketTransport.UNDECIDED;
    }
}
