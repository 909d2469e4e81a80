package io.verbena.sockets.nio;

import io.verbena.sockets.stream.StreamOptions;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One side of the life of a connection, in steps: a request and its answer, many bytes in each direction, the end of each direction. The
 * first large write of each side begins in one step, in which it waits for its reader, and ends in another.
 */
final class Life implements AutoCloseable {

    /** Half of it is more than the buffers of both sides together. */
    private static final int LARGE = 8 << 20;

    private static final int BUFFER = 1 << 18;

    /** For RDMA also on a busy machine. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int SMALL = 5;
    private static final int ACCEPT_MS = 20_000;

    /** A step, which fails if the connection does. */
    enum Step {
        OPEN,
        BIND,
        CONNECT,
        ACCEPT,
        WRITE_REQUEST,
        READ_REQUEST,
        WRITE_ANSWER,
        READ_ANSWER,
        BEGIN_LARGE_WRITE,
        END_LARGE_WRITE,
        READ_HALF,
        READ_REST,
        SHUT_OUTPUT,
        READ_END,
        WRITE_LAST,
        READ_LAST,
        CLOSE
    }

    static final List<Step> CLIENT = List.of(
            Step.OPEN,
            Step.CONNECT,
            Step.WRITE_REQUEST,
            Step.READ_ANSWER,
            Step.BEGIN_LARGE_WRITE,
            Step.END_LARGE_WRITE,
            Step.READ_HALF,
            Step.READ_REST,
            Step.SHUT_OUTPUT,
            Step.READ_LAST,
            Step.READ_END,
            Step.CLOSE);

    static final List<Step> SERVER = List.of(
            Step.BIND,
            Step.ACCEPT,
            Step.READ_REQUEST,
            Step.WRITE_ANSWER,
            Step.READ_HALF,
            Step.READ_REST,
            Step.BEGIN_LARGE_WRITE,
            Step.END_LARGE_WRITE,
            Step.READ_END,
            Step.WRITE_LAST,
            Step.CLOSE);

    private final SelectorProvider provider;
    private final IntConsumer onBound;
    private final InetSocketAddress address;
    private @Nullable ServerSocketChannel listener;
    private @Nullable SocketChannel channel;
    private @Nullable FutureTask<Boolean> writing;

    /**
     * A side.
     *
     * @param address to which a client connects; with port 0, at which a server listens
     * @param onBound takes the port of a server
     */
    Life(SelectorProvider provider, InetSocketAddress address, IntConsumer onBound) {
        this.provider = provider;
        this.address = address;
        this.onBound = onBound;
    }

    void run(Step step) throws Exception {
        switch (step) {
            case OPEN -> open();
            case BIND -> bind();
            case CONNECT -> channel().connect(address);
            case ACCEPT -> accept();
            case WRITE_REQUEST, WRITE_ANSWER, WRITE_LAST -> write(SMALL);
            case READ_REQUEST, READ_ANSWER, READ_LAST -> read(SMALL);
            case BEGIN_LARGE_WRITE -> beginLargeWrite();
            case END_LARGE_WRITE -> endLargeWrite();
            case READ_HALF, READ_REST -> read(LARGE / 2);
            case SHUT_OUTPUT -> channel().shutdownOutput();
            case READ_END -> readEnd();
            case CLOSE -> channel().close();
        }
    }

    SocketTransport transport() {
        SocketChannel opened = channel;
        return opened == null ? SocketTransport.NONE : VerbenaSelectorProvider.transport(opened);
    }

    private SocketChannel channel() {
        SocketChannel opened = channel;
        if (opened == null) {
            throw new IllegalStateException("there is no channel yet");
        }
        return opened;
    }

    private void open() throws IOException {
        SocketChannel opened = provider.openSocketChannel();
        channel = opened;
        opened.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
        opened.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER);
    }

    private void bind() throws IOException {
        ServerSocketChannel bound = provider.openServerSocketChannel();
        bound.setOption(StandardSocketOptions.SO_RCVBUF, BUFFER);
        listener = bound;
        bound.bind(address);
        onBound.accept(((InetSocketAddress) bound.getLocalAddress()).getPort());
    }

    private void accept() throws IOException {
        ServerSocketChannel bound = listener;
        if (bound == null) {
            throw new IllegalStateException("nothing is bound");
        }
        ServerSocket socket = bound.socket();
        socket.setSoTimeout(ACCEPT_MS);
        SocketChannel accepted = socket.accept().getChannel();
        channel = accepted;
        accepted.setOption(StandardSocketOptions.SO_SNDBUF, BUFFER);
    }

    private void write(int bytes) throws IOException {
        Stage.writeAll(channel(), ByteBuffer.allocate(bytes));
    }

    private void read(int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining()) {
            if (channel().read(into) < 0) {
                throw new EOFException();
            }
        }
    }

    private void readEnd() throws IOException {
        if (channel().read(ByteBuffer.allocate(1)) >= 0) {
            throw new IOException("a byte instead of the end");
        }
    }

    private void beginLargeWrite() {
        Callable<Boolean> body = () -> {
            write(LARGE);
            return true;
        };
        FutureTask<Boolean> task = new FutureTask<>(body);
        writing = task;
        Stage.awaitBlocked(Thread.ofPlatform().daemon().start(task));
    }

    private void endLargeWrite() throws Exception {
        FutureTask<Boolean> task = writing;
        if (task == null) {
            throw new IllegalStateException("no write was begun");
        }
        try {
            task.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException failure ? failure : e;
        }
    }

    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        if (listener != null) {
            listener.close();
        }
    }

    /** The provider of a carrier; that of the JDK for "plain". */
    static SelectorProvider provider(String carrier) {
        return carrier.equals("plain")
                ? JdkProvider.find()
                : VerbenaSelectorProvider.of(SocketsOptions.defaults()
                        .withRdma("*")
                        .withProvider(carrier.equals("ring") ? "shm" : carrier)
                        .withPatience(PATIENCE)
                        .withStreams(StreamOptions.defaults()
                                .withRings(carrier.equals("ring"))
                                .withConnectTimeout(PATIENCE)
                                .withMostBufferBytes(BUFFER)));
    }

    /**
     * Lives in a JVM of its own, and sends itself a signal after a step. Arguments: carrier, address of the server, its port or 0 if this
     * is it, step, signal.
     */
    static final class Victim {

        private Victim() {}

        public static void main(String[] arguments) throws Exception {
            int port = Integer.parseInt(arguments[2]);
            Step fatal = Step.valueOf(arguments[3]);
            InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(arguments[1]), port);
            try (Life life = new Life(provider(arguments[0]), address, System.out::println)) {
                for (Step step : port == 0 ? SERVER : CLIENT) {
                    life.run(step);
                    if (step == fatal) {
                        ChildJvm.signal(ProcessHandle.current().pid(), arguments[4]);
                    }
                }
            }
            System.out.println("lived");
        }
    }
}
