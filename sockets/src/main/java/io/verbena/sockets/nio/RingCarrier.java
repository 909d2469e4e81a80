package io.verbena.sockets.nio;

import io.verbena.sockets.nio.select.MemorySleeper;
import io.verbena.sockets.ring.RingLayout;
import io.verbena.sockets.ring.RingSleep;
import io.verbena.sockets.ring.channel.RingFrame;
import io.verbena.sockets.ring.channel.RingSocket;
import io.verbena.sockets.stream.StreamFigures;
import io.verbena.sockets.stream.StreamSocket;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.HostWait;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.WritableByteChannel;
import java.util.Optional;

/**
 * A stream of two rings in shared memory. While this side does not sleep, the peer does not signal, so a selector looks at it in each selection. Before
 * it waits, it announces that it sleeps; then the peer's bytes on the TCP connection wake it.
 *
 * @param local the address of this side, as TCP has it
 * @param remote the address of the peer
 */
record RingCarrier(RingSocket socket, SocketAddress local, SocketAddress remote)
        implements WaitedCarrier, MemorySleeper {

    /** An accepted connection whose peer offers rings; empty if it does not, or the memory cannot be opened. */
    static Optional<RingCarrier> accepted(Networks networks, ChannelOptions options, PlainCarrier plain)
            throws IOException {
        if (!RingFrame.isOffer(plain.offered())) {
            return Optional.empty();
        }
        SocketAddress here = plain.localAddress().orElseThrow(ClosedChannelException::new);
        SocketAddress peer = plain.remoteAddress().orElseThrow(ClosedChannelException::new);
        options.inherit(plain.jdk());
        Optional<RingSocket> rings = networks.answerRings(plain.jdk(), plain.request());
        if (rings.isPresent()) {
            options.onRdma();
        }
        return rings.map(socket -> new RingCarrier(socket, here, peer));
    }

    @Override
    public long read(ByteBuffer[] targets, int offset, int length) throws IOException {
        return socket.read(targets, offset, length);
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) throws IOException {
        return socket.write(sources, offset, length);
    }

    @Override
    public int readyOps() {
        return ops(socket.ready(RingSocket.READABLE | RingSocket.WRITABLE));
    }

    private static int ops(int bits) {
        return ((bits & RingSocket.READABLE) != 0 ? SelectionKey.OP_READ : 0)
                | ((bits & RingSocket.WRITABLE) != 0 ? SelectionKey.OP_WRITE : 0);
    }

    private static int bits(int ops) {
        return ((ops & SelectionKey.OP_READ) != 0 ? RingSocket.READABLE : 0)
                | ((ops & SelectionKey.OP_WRITE) != 0 ? RingSocket.WRITABLE : 0);
    }

    boolean mustBeLookedAt(int ops, boolean inMemory) {
        return !socket.sleepsFor(bits(ops), inMemory ? RingSleep.BY_MEMORY : RingSleep.BY_BYTE);
    }

    @Override
    public boolean sleepsInMemory() {
        return socket.sleepsInMemory();
    }

    @Override
    public boolean sleepIn(HostWait wait, int ops) {
        return socket.sleepIn(wait, bits(ops));
    }

    void sleepFor(int ops) {
        socket.sleepFor(bits(ops));
    }

    /** The TCP connection, until it has ended. */
    Optional<SelectableChannel> line() {
        return socket.lineEnded() ? Optional.empty() : Optional.of(socket.line());
    }

    /** A selector has found that the TCP connection can be read. */
    void onLine() {
        socket.onLine();
    }

    @Override
    public boolean awaitReady(int bits, long timeoutNs) throws IOException {
        return socket.awaitReady(
                ((bits & StreamSocket.READABLE) != 0 ? RingSocket.READABLE : 0)
                        | ((bits & StreamSocket.WRITABLE) != 0 ? RingSocket.WRITABLE : 0),
                timeoutNs);
    }

    @Override
    public int readTo(WritableByteChannel target) throws IOException {
        return socket.readTo(target);
    }

    @Override
    public int writeFrom(ByteSource source, int most) throws IOException {
        return socket.writeFrom(source, most);
    }

    @Override
    public int available() {
        return socket.available();
    }

    @Override
    public void onReady(Runnable action) {
        socket.onChange(action);
    }

    @Override
    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public Optional<SocketAddress> localAddress() {
        return Optional.of(local);
    }

    @Override
    public Optional<SocketAddress> remoteAddress() {
        return Optional.of(remote);
    }

    @Override
    public void close(boolean reset) throws IOException {
        if (reset) {
            socket.abort();
        } else {
            socket.close();
        }
    }

    @Override
    public SocketTransport transport() {
        return SocketTransport.SHARED_MEMORY;
    }

    @Override
    public StreamFigures figures() {
        RingSocket.Figures all = socket.figures();
        int input = all.input().ringBytes();
        int output = all.output().ringBytes();
        StreamFigures.BufferPhase phase = Math.max(input, output) == all.mostRingBytes()
                ? StreamFigures.BufferPhase.LARGEST
                : Math.max(input, output) == RingLayout.FIRST_WINDOW_BYTES
                        ? StreamFigures.BufferPhase.FIRST
                        : StreamFigures.BufferPhase.GROWN;
        return new StreamFigures(
                direction(all.output()),
                direction(all.input()),
                0,
                new StreamFigures.Stalls(all.fullWrites(), 0),
                new StreamFigures.Buffers(input, output, socket.available(), 0, phase));
    }

    private static StreamFigures.Direction direction(RingSocket.Direction of) {
        return new StreamFigures.Direction(of.bytes(), 0, of.calls(), of.bytes());
    }
}
