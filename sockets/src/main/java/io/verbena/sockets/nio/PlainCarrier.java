package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamFigures;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * A channel of the JDK. One that was accepted from a silent peer is undecided: it becomes a stream over RDMA if its first
 * bytes ask for that and the program has not written before.
 */
final class PlainCarrier implements Carrier {

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private static final int MOST_WITHIN = 8192;

    /** Whether the channel remains a channel of the JDK. */
    enum Decision {
        UNDECIDED,
        PLAIN,
        /** The peer has asked for RDMA, and the channel is leaving its selectors. */
        RDMA
    }

    private final SocketChannel jdk;
    private volatile Decision decision;

    /** Bytes that were read for the decision: before it those before the position, after it those that remain. */
    private volatile ByteBuffer first;

    // Figures: the thread that reads has the first two, the thread that writes the others.
    private long readBytes;
    private long reads;
    private long writtenBytes;
    private long writes;

    private PlainCarrier(SocketChannel jdk, Decision decision, ByteBuffer first) {
        this.jdk = jdk;
        this.decision = decision;
        this.first = first;
    }

    static PlainCarrier of(SocketChannel jdk) {
        return new PlainCarrier(jdk, Decision.PLAIN, NOTHING);
    }

    static PlainCarrier undecided(SocketChannel jdk) {
        return new PlainCarrier(jdk, Decision.UNDECIDED, NOTHING);
    }

    SocketChannel jdk() {
        return jdk;
    }

    Decision decision() {
        return decision;
    }

    /** Decides for TCP, unless the peer has asked for RDMA before. Returns whether it is TCP. */
    synchronized boolean decidePlain() {
        if (decision == Decision.UNDECIDED) {
            decision = Decision.PLAIN;
            first = first.duplicate().flip();
        }
        return decision == Decision.PLAIN;
    }

    /** Reads first bytes of an undecided channel. Returns as {@link SocketChannel#read} does. */
    int readFirst() throws IOException {
        ByteBuffer more = ByteBuffer.allocate(FirstBytes.MOST);
        int bytes = jdk.read(more);
        onFirst(more.flip(), bytes < 0);
        return bytes;
    }

    /** As {@link #readFirst}, within the time limit of the socket of the channel, which is blocking. */
    void readFirstWithin() throws IOException {
        byte[] more = new byte[FirstBytes.MOST];
        int bytes = jdk.socket().getInputStream().read(more);
        onFirst(ByteBuffer.wrap(more, 0, Math.max(0, bytes)), bytes < 0);
    }

    /** First bytes were read. Another thread may have decided by writing meanwhile. */
    private synchronized void onFirst(ByteBuffer more, boolean ended) {
        ByteBuffer before = decision == Decision.UNDECIDED ? first.duplicate().flip() : first;
        ByteBuffer all = ByteBuffer.allocate(before.remaining() + more.remaining());
        all.put(before).put(more);
        first = decision == Decision.UNDECIDED ? all : all.flip();
        if (decision == Decision.UNDECIDED) {
            decide(ended);
        }
    }

    private void decide(boolean ended) {
        switch (FirstBytes.kind(first)) {
            case PLAIN -> decidePlain();
            case REQUEST -> decision = Decision.RDMA;
            case INCOMPLETE -> {
                if (ended) {
                    decidePlain();
                }
            }
        }
    }

    /** The request for RDMA, and what follows it. */
    byte[] request() {
        byte[] bytes = new byte[first.position()];
        first.get(0, bytes);
        return bytes;
    }

    /** Bytes that can be read without blocking. */
    int available() throws IOException {
        return (hasFirst() ? first.remaining() : 0)
                + (decision == Decision.PLAIN ? jdk.socket().getInputStream().available() : 0);
    }

    /** Whether first bytes are left to be read. */
    boolean hasFirst() {
        return decision == Decision.PLAIN && first.hasRemaining();
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        long bytes = hasFirst() ? takeFirst(targets, offset, length) : jdk.read(targets, offset, length);
        countRead(bytes);
        return bytes;
    }

    private void countRead(long bytes) {
        if (bytes > 0) {
            readBytes += bytes;
            reads++;
        }
    }

    /** Reads within the time limit of the socket of the channel, which is blocking. */
    int readWithin(ByteBuffer target) throws IOException {
        if (hasFirst()) {
            long taken = takeFirst(new ByteBuffer[] {target}, 0, 1);
            countRead(taken);
            return (int) taken;
        }
        byte[] bytes = new byte[Math.min(target.remaining(), MOST_WITHIN)];
        int length = jdk.socket().getInputStream().read(bytes);
        target.put(bytes, 0, Math.max(0, length));
        countRead(length);
        return length;
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
        long bytes = jdk.write(sources, offset, length);
        if (bytes > 0) {
            writtenBytes += bytes;
            writes++;
        }
        return bytes;
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
    public StreamFigures figures() {
        return StreamFigures.plain(
                new StreamFigures.Direction(writtenBytes, 0, writes, writtenBytes),
                new StreamFigures.Direction(readBytes, 0, reads, readBytes));
    }

    @Override
    public SocketTransport transport() {
        return decision == Decision.PLAIN ? SocketTransport.TCP : SocketTransport.UNDECIDED;
    }
}
