package io.verbena.sockets.nio;

import io.verbena.sockets.nio.opening.ClientOpening;
import io.verbena.sockets.nio.opening.FirstBytes;
import io.verbena.sockets.nio.opening.Front;
import io.verbena.sockets.nio.opening.ServerOpening;
import io.verbena.sockets.nio.opening.SetUpThread;
import io.verbena.sockets.stream.StreamFigures;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A channel of the JDK. One that was accepted from a silent peer is undecided: it becomes a stream over RDMA if its first
 * bytes ask for that and the program has not written before. Frames of the set-up at the beginning of what is read are dropped: see {@link
 * ClientOpening}.
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
    private final Front front;
    private volatile Decision decision;

    /** Bytes of the program that were read for the decision, and are left. */
    private volatile ByteBuffer first = NOTHING;

    /** Whether what is read can begin with frames of the set-up. */
    private volatile boolean framed;

    /** A frame that is sent before anything else. */
    private ByteBuffer due = NOTHING;

    private volatile Runnable onSettled = () -> {};
    private volatile Runnable onSpokenFirst = () -> {};
    private volatile Lock writing = new ReentrantLock();

    // Figures: the thread that reads has the first two, the thread that writes the others.
    private long readBytes;
    private long reads;
    private long writtenBytes;
    private long writes;

    private PlainCarrier(SocketChannel jdk, Front front) {
        this.jdk = jdk;
        this.front = front;
        framed = true;
        decision = front.undecided() ? Decision.UNDECIDED : Decision.PLAIN;
        settle();
    }

    static PlainCarrier of(SocketChannel jdk) {
        return new PlainCarrier(jdk, Front.NONE);
    }

    static PlainCarrier undecided(SocketChannel jdk) {
        return accepted(jdk, new ServerOpening(true));
    }

    /** A stream that was accepted, with what was read of it. */
    static PlainCarrier accepted(SocketChannel jdk, ServerOpening opening) {
        opening.onShown();
        return new PlainCarrier(jdk, Front.of(opening));
    }

    /** A stream that was connected, and whose upgrade was withdrawn. */
    static PlainCarrier withdrawn(SocketChannel jdk, ClientOpening opening) {
        return new PlainCarrier(jdk, Front.of(opening));
    }

    /**
     * The channel that has this carrier.
     *
     * @param settled runs when bytes can be read that the selector of the JDK does not know
     * @param writes the lock of the thread that writes
     */
    void belongs(Runnable settled, Lock writes) {
        onSettled = settled;
        writing = writes;
    }

    /** Why it is TCP, if it was accepted. */
    synchronized String why() {
        return front.why();
    }

    /** Runs when the program writes to a peer that has sent nothing. */
    void onSpokenFirst(Runnable action) {
        onSpokenFirst = action;
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
            if (!front.partial()) {
                onSpokenFirst.run();
            }
            front.onWritten();
            settle();
        }
        return decision == Decision.PLAIN;
    }

    /** The channel cannot be read any more: it is TCP, and the program reads the error. */
    synchronized void onError() {
        if (decision == Decision.UNDECIDED) {
            front.onEnd();
            settle();
        }
        decidePlain();
    }

    private synchronized void settle() {
        if (framed && front.decided()) {
            framed = false;
            first = front.read();
            decision = front.asksForRdma() ? Decision.RDMA : Decision.PLAIN;
        } else if (framed && !front.undecided() && decision == Decision.UNDECIDED) {
            decision = Decision.PLAIN; // an upgrade was declined
        }
    }

    /** Reads first bytes of an undecided channel. Returns as {@link SocketChannel#read} does. */
    int readFirst() throws IOException {
        if (jdk.isBlocking() && partial()) {
            return readRest();
        }
        ByteBuffer more = ByteBuffer.allocate(FirstBytes.MOST);
        int bytes = jdk.read(more);
        onFirst(more.flip(), bytes < 0);
        if (bytes > 0 && partial() && !jdk.isBlocking()) {
            SetUpThread.of(jdk.provider()).after(Front.PAUSE_MS * 1_000_000L, this::onPause);
        }
        return bytes;
    }

    /** As {@link #readFirst}, within the time limit of the socket of the channel, which is blocking. */
    void readFirstWithin() throws IOException {
        if (partial()) {
            readRest();
            return;
        }
        byte[] more = new byte[FirstBytes.MOST];
        int bytes = jdk.socket().getInputStream().read(more);
        onFirst(ByteBuffer.wrap(more, 0, Math.max(0, bytes)), bytes < 0);
    }

    /** Waits a short time for what follows the beginning of a frame. Returns 1 if nothing follows. */
    private int readRest() throws IOException {
        int limitMs = jdk.socket().getSoTimeout();
        byte[] more = new byte[FirstBytes.MOST];
        try {
            jdk.socket().setSoTimeout(Front.PAUSE_MS);
            int bytes = jdk.socket().getInputStream().read(more);
            onFirst(ByteBuffer.wrap(more, 0, Math.max(0, bytes)), bytes < 0);
            return bytes;
        } catch (SocketTimeoutException _) {
            onPause();
            return 1;
        } finally {
            jdk.socket().setSoTimeout(limitMs);
        }
    }

    private void onPause() {
        synchronized (this) {
            front.onPause();
            settle();
        }
        onSettled.run();
    }

    /** First bytes were read. Another thread may have decided by writing meanwhile. */
    private void onFirst(ByteBuffer more, boolean ended) {
        synchronized (this) {
            front.onBytes(more);
            if (ended) {
                front.onEnd();
            }
            byte[] reply = front.takeReply();
            due = reply.length > 0 ? ByteBuffer.wrap(reply) : due;
            settle();
        }
        if (due().hasRemaining() && writing.tryLock()) { // else the thread that writes sends it
            try {
                sendDue();
            } catch (IOException _) {
                onError();
            } finally {
                writing.unlock();
            }
        }
    }

    private synchronized boolean partial() {
        return framed && front.partial();
    }

    private synchronized ByteBuffer due() {
        return due;
    }

    private void sendDue() throws IOException {
        ByteBuffer reply = due();
        while (reply.hasRemaining()) {
            jdk.write(reply); // nothing was sent before it, so that there is space
        }
    }

    /** The request for RDMA, which is left here. */
    byte[] offered() {
        byte[] bytes = new byte[first.remaining()];
        first.get(first.position(), bytes);
        return bytes;
    }

    /** Takes the request for RDMA, and what follows it; nothing is left if an offer was refused. */
    byte[] request() {
        byte[] bytes = new byte[first.remaining()];
        first.get(bytes);
        return bytes;
    }

    /** Bytes that can be read without blocking; a frame that is dropped counts until a read has found it. */
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
        if (framed && !dropFrames(false)) {
            return 0;
        }
        long bytes = hasFirst() ? takeFirst(targets, offset, length) : jdk.read(targets, offset, length);
        countRead(bytes);
        return bytes;
    }

    /** Drops frames of the set-up. Returns false if that needs bytes that have not arrived. */
    private boolean dropFrames(boolean within) throws IOException {
        while (framed) {
            if (within) {
                readFirstWithin();
            } else if (readFirst() == 0) {
                return false;
            }
        }
        return true;
    }

    private void countRead(long bytes) {
        if (bytes > 0) {
            readBytes += bytes;
            reads++;
        }
    }

    /** Reads within the time limit of the socket of the channel, which is blocking. */
    int readWithin(ByteBuffer target) throws IOException {
        dropFrames(true);
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
        sendDue();
        return written(jdk.write(sources, offset, length));
    }

    /** Writes a part of a file, as {@link java.nio.channels.FileChannel#transferTo}. */
    long write(FilePart file, long count) throws IOException {
        sendDue();
        return written(file.transferTo(jdk, count));
    }

    private long written(long bytes) {
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
        sendDue();
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
