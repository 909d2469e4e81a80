package io.verbena.shm;

import io.verbena.base.TransmitList;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A socket that a listener has accepted, whose first byte decides what it is: the beginning of an {@link Offer}, or the first
 * byte of a peer that speaks to the socket itself.
 */
final class ArrivingStream implements ByteStream {

    private ChoosingLoop home;
    private final ByteStream socket;
    private final boolean required;

    /** The socket, or the stream through shared memory. */
    private ByteStream now;

    private @Nullable SetUp setUp;

    /** Bytes that were read from the socket before this object was made. */
    private Optional<byte[]> first = Optional.empty();

    private @Nullable StreamEvents events;
    private boolean decided;
    private boolean closed;

    /**
     * A socket that was just accepted.
     *
     * @param required whether a peer that offers no memory is refused
     */
    ArrivingStream(ChoosingLoop home, ByteStream socket, boolean required) {
        this.home = home;
        this.socket = socket;
        this.required = required;
        now = socket;
    }

    /** A socket from which the beginning of an offer was read. */
    static ArrivingStream begun(ChoosingLoop home, ByteStream socket, boolean required, byte[] first) {
        ArrivingStream stream = new ArrivingStream(home, socket, required);
        stream.first = Optional.of(first);
        return stream;
    }

    /** Reports to its owner from now on, in this loop. */
    void attach(ChoosingLoop loop, StreamEvents listener) {
        home = loop;
        events = listener;
        loop.attachDecided(now, listener);
    }

    void detach(ChoosingLoop loop) {
        events = null;
        loop.detachDecided(now);
    }

    /** The stream without this object around it, as soon as it is known what it is. */
    ByteStream settled() {
        return decided ? now : this;
    }

    @Override
    public String refusal() {
        return required && decided && !now.throughMemory() ? ChoosingLoop.NO_OFFER : now.refusal();
    }

    // Reading.

    @Override
    public int read(ByteBuffer target) throws IOException {
        return decided ? now.read(target) : readFirst(target);
    }

    @Override
    public int read(ByteBuffer target, long address) throws IOException {
        return decided ? now.read(target, address) : readFirst(target);
    }

    @Override
    public int read(ByteBuffer first, long firstAddress, ByteBuffer second, long secondAddress) throws IOException {
        return decided ? now.read(first, firstAddress, second, secondAddress) : readFirst(first);
    }

    private int readFirst(ByteBuffer target) throws IOException {
        SetUp exchange = setUp;
        if (exchange == null && first.isPresent()) {
            exchange = home.rings().accept(socket);
            setUp = exchange;
            exchange.received(ByteBuffer.wrap(first.get()));
            first = Optional.empty();
        } else if (exchange == null) {
            int from = target.position();
            int count = socket.read(target);
            if (count <= 0) {
                return count;
            }
            if (!Offer.begins(target.get(from))) {
                decided = true;
                return count;
            }
            exchange = home.rings().accept(socket);
            setUp = exchange;
            exchange.received(target.slice(from, count));
            target.position(from);
        }
        advance(exchange);
        return 0;
    }

    private void advance(SetUp exchange) throws IOException {
        try {
            if (!exchange.advance()) {
                if (exchange.sending()) {
                    // One frame fits the buffers of any new socket.
                    throw new IOException("The socket does not accept the answer to an offer of shared memory");
                }
                return;
            }
        } catch (MemoryNotOpened e) {
            exchange.abandon();
            setUp = null;
            decided = true;
            if (required) {
                throw e;
            }
            return;
        } catch (InternalError e) {
            throw SideWords.lost(e);
        }
        setUp = null;
        decided = true;
        StreamEvents listener = events;
        if (listener != null) {
            home.detachDecided(socket);
        }
        RingStream stream = new RingStream(home.rings(), socket, exchange);
        now = stream;
        if (listener != null) {
            home.attachDecided(stream, listener);
        }
    }

    // Everything else is the business of the stream that it is.

    @Override
    public boolean abandoned() {
        return now.abandoned();
    }

    @Override
    public void resetIfKilled(boolean reset) {
        now.resetIfKilled(reset);
    }

    @Override
    public boolean shortReadIsAll() {
        return decided && now.shortReadIsAll();
    }

    @Override
    public int write(ByteBuffer source) throws IOException {
        return now.write(source);
    }

    @Override
    public int write(ByteBuffer source, long address) throws IOException {
        return now.write(source, address);
    }

    @Override
    public int write(TransmitList list) throws IOException {
        return now.write(list);
    }

    @Override
    public boolean gathers() {
        return now.gathers();
    }

    @Override
    public void wantWritable(boolean wanted) {
        now.wantWritable(wanted);
    }

    @Override
    public void wantReadable(boolean wanted) {
        now.wantReadable(wanted);
    }

    @Override
    public void keepAlive(long boundNs) {
        now.keepAlive(boundNs);
    }

    @Override
    public boolean acknowledged() {
        return now.acknowledged();
    }

    @Override
    public boolean throughMemory() {
        return now.throughMemory();
    }

    @Override
    public void shutdownOutput() throws IOException {
        now.shutdownOutput();
    }

    @Override
    public void close(boolean abortive) {
        if (!closed) {
            closed = true;
            Optional.ofNullable(setUp).ifPresent(SetUp::abandon);
            now.close(abortive);
        }
    }

    @Override
    public SocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    public SocketAddress remoteAddress() {
        return socket.remoteAddress();
    }
}
