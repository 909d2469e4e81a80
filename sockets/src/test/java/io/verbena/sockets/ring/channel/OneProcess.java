package io.verbena.sockets.ring.channel;

import io.verbena.verbs.HostMemory;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Both sides of a stream of rings in one process, over a connection of loopback TCP. */
final class OneProcess implements HostMemory, AutoCloseable {

    static final int RING = 64 * 1024;

    private final List<ByteBuffer> files = new ArrayList<>();
    private final List<RingSocket> sockets = new ArrayList<>();
    final SocketChannel clientTcp;
    final SocketChannel serverTcp;
    private final List<Mapping> mapped = new ArrayList<>();

    private OneProcess(SocketChannel clientTcp, SocketChannel serverTcp) {
        this.clientTcp = clientTcp;
        this.serverTcp = serverTcp;
    }

    static OneProcess connected() throws IOException {
        try (ServerSocketChannel listener = ServerSocketChannel.open()) {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            SocketChannel client = SocketChannel.open(listener.getLocalAddress());
            client.configureBlocking(false);
            return new OneProcess(client, listener.accept());
        }
    }

    static OneProcess established() throws IOException {
        OneProcess both = connected();
        return both.establish(both);
    }

    /** With memory of the system, which the two sides map in two places. */
    static OneProcess established(HostMemory memory) throws IOException {
        return connected().establish(memory);
    }

    private OneProcess establish(HostMemory memory) throws IOException {
        HostMemory kept = new Kept(memory);
        RingOffering offering = RingOffering.begin(clientTcp, kept, RING, new SplittableRandom(1));
        sockets.add(answer(Optional.of(kept)).orElseThrow());
        sockets.add(advance(offering).orElseThrow());
        return this;
    }

    /** Keeps what was mapped last. */
    private final class Kept implements HostMemory {
        private final HostMemory memory;

        Kept(HostMemory memory) {
            this.memory = memory;
        }

        @Override
        public Mapping create(int bytes) throws IOException {
            mapped.add(memory.create(bytes));
            return lastMapping();
        }

        @Override
        public Mapping open(long process, int handle, int bytes) throws IOException {
            mapped.add(memory.open(process, handle, bytes));
            return lastMapping();
        }
    }

    /** What was mapped last: the memory of the server. */
    Mapping lastMapping() {
        return mapped.getLast();
    }

    RingSocket server() {
        return sockets.getFirst();
    }

    RingSocket client() {
        return sockets.getLast();
    }

    RingOffering offer() throws IOException {
        return RingOffering.begin(clientTcp, this, RING, new SplittableRandom(1));
    }

    Optional<RingSocket> answer(Optional<HostMemory> memory) throws IOException {
        ByteBuffer offer = ByteBuffer.allocate(RingFrame.OFFER_BYTES);
        while (offer.hasRemaining()) {
            serverTcp.read(offer);
        }
        return RingAnswering.answer(serverTcp, memory, offer.array(), new SplittableRandom(2));
    }

    /** Takes the answer, which has been sent. */
    Optional<RingSocket> advance(RingOffering offering) throws IOException {
        try (Selector selector = Selector.open()) {
            clientTcp.register(selector, SelectionKey.OP_READ);
            selector.select();
        }
        return offering.advance();
    }

    @Override
    public Mapping create(int bytes) {
        int handle = files.size();
        files.add(ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder()));
        return mapping(handle);
    }

    @Override
    public Mapping open(long process, int handle, int bytes) throws IOException {
        if (handle >= files.size()) {
            throw new IOException("there is no such memory");
        }
        return mapping(handle);
    }

    /** The first bytes of the memory that was created last. */
    ByteBuffer memory() {
        return files.getLast();
    }

    private Mapping mapping(int handle) {
        ByteBuffer bytes = files.get(handle);
        return new Mapping() {
            @Override
            public ByteBuffer bytes() {
                return bytes;
            }

            @Override
            public long process() {
                return 1;
            }

            @Override
            public int handle() {
                return handle;
            }

            @Override
            public void shared() {}

            @Override
            public void close() {}
        };
    }

    @Override
    public void close() throws IOException {
        clientTcp.close();
        serverTcp.close();
    }
}
