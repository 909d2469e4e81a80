import io.verbena.host.TcpThread;
import io.verbena.port.ByteStream;
import io.verbena.port.StreamEvents;
import io.verbena.port.StreamLoop;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Connections between the TCP of Verbena and that of this system, and what is sent over them: each direction carries a pattern of
 * bytes, which its receiver checks.
 */
final class TcpPeers {

    static final int PATIENCE_S = 50;

    private static final int PATTERN = 65_521;
    private static final ByteBuffer DATA = pattern();

    private final TcpThread tcp;
    private final InetAddress system;
    private final InetAddress own;
    private final AtomicInteger ports = new AtomicInteger(9001);

    TcpPeers(TcpThread tcp, InetAddress system, InetAddress own) {
        this.tcp = tcp;
        this.system = system;
        this.own = own;
    }

    /** A port that no case has used. */
    int newPort() {
        return ports.incrementAndGet();
    }

    /** The system's end and ours. */
    record Pair(SocketChannel theirs, End ours) {}

    Pair connect(boolean fromUs, long toSend, long toReceive) throws Exception {
        int port = newPort();
        if (fromUs) {
            try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(system, port))) {
                End end = new End(toSend, toReceive);
                tcp.run(() -> tcp.streams().connect(new InetSocketAddress(system, port), end));
                SocketChannel theirs = server.accept();
                end.opened.get(PATIENCE_S, TimeUnit.SECONDS);
                return new Pair(theirs, end);
            }
        }
        Service service = new Service(port, toSend, toReceive);
        try {
            SocketChannel theirs = SocketChannel.open(new InetSocketAddress(own, port));
            return new Pair(theirs, service.next());
        } finally {
            service.close();
        }
    }

    /** A port of ours. */
    private final class Service {
        private final StreamLoop.Acceptor acceptor;
        private final CompletableFuture<End> first = new CompletableFuture<>();

        Service(int port, long toSend, long toReceive) throws IOException {
            acceptor = tcp.streams().listen(new InetSocketAddress(own, port), 64, stream -> {
                End end = new End(toSend, toReceive);
                end.begin(stream);
                first.complete(end);
            });
        }

        End next() throws Exception {
            return first.get(PATIENCE_S, TimeUnit.SECONDS);
        }

        void close() {
            acceptor.close();
        }
    }

    /** Our end of a connection: sends bytes of the pattern, checks those that arrive, then closes. All within the thread of the TCP. */
    final class End implements StreamEvents, StreamLoop.ConnectEvents {
        final CompletableFuture<End> opened = new CompletableFuture<>();

        /** The first bytes of the peer have come: it has accepted the connection. */
        final CompletableFuture<End> heard = new CompletableFuture<>();

        final CompletableFuture<Long> done = new CompletableFuture<>();
        private final ByteBuffer source = DATA.duplicate();
        private final ByteBuffer sink = ByteBuffer.allocateDirect(1 << 18);
        private final long toSend;
        private final long toReceive;
        ByteStream stream;
        private boolean reading = true;
        long sent;
        private long received;
        private boolean shut;

        End(long toSend, long toReceive) {
            this.toSend = toSend;
            this.toReceive = toReceive;
        }

        void begin(ByteStream byteStream) {
            stream = byteStream;
            tcp.streams().attach(byteStream, this);
            opened.complete(this);
            onWritable();
        }

        @Override
        public void onConnected(ByteStream byteStream) {
            begin(byteStream);
        }

        @Override
        public void onConnectFailed(boolean refused, String sentence) {
            IOException failure = refused ? new ConnectException(sentence) : new IOException(sentence);
            opened.completeExceptionally(failure);
            done.completeExceptionally(failure);
        }

        void read(boolean wanted) {
            tcp.run(() -> {
                reading = wanted;
                stream.wantReadable(wanted);
            });
        }

        @Override
        public void onReadable() {
            try {
                int count;
                while (reading && (count = stream.read(sink.clear())) != 0) {
                    if (count == ByteStream.END) {
                        reading = false;
                        stream.wantReadable(false);
                        check(received == toReceive, "received " + received + " bytes, not " + toReceive);
                        finish();
                        return;
                    }
                    check(equal(sink.flip(), received), "wrong bytes at " + received);
                    received += count;
                    heard.complete(this);
                }
            } catch (IOException | IllegalStateException e) {
                fail(e);
            }
        }

        @Override
        public void onWritable() {
            try {
                while (sent < toSend) {
                    int at = (int) (sent % PATTERN);
                    source.limit((int) Math.min(source.capacity(), at + toSend - sent)).position(at);
                    int count = stream.write(source);
                    if (count == 0) {
                        stream.wantWritable(true);
                        return;
                    }
                    sent += count;
                }
                stream.wantWritable(false);
                if (!shut) {
                    shut = true;
                    stream.shutdownOutput();
                    finish();
                }
            } catch (IOException e) {
                fail(e);
            }
        }

        private void finish() {
            if (shut && received == toReceive && !reading) {
                stream.close(false);
                done.complete(received);
            }
        }

        private void fail(Exception e) {
            stream.close(true);
            done.completeExceptionally(e);
        }
    }

    static void check(boolean condition, String sentence) {
        if (!condition) {
            throw new IllegalStateException(sentence);
        }
    }

    // Data.

    private static ByteBuffer pattern() {
        byte[] bytes = new byte[PATTERN];
        new Random(1).nextBytes(bytes);
        ByteBuffer all = ByteBuffer.allocateDirect(8 * PATTERN);
        for (int i = 0; i < 8; i++) {
            all.put(bytes);
        }
        return all.flip();
    }

    private static boolean equal(ByteBuffer got, long offset) {
        while (got.hasRemaining()) {
            int at = (int) (offset % PATTERN);
            int count = Math.min(got.remaining(), DATA.capacity() - at);
            if (got.slice(got.position(), count).mismatch(DATA.slice(at, count)) >= 0) {
                return false;
            }
            got.position(got.position() + count);
            offset += count;
        }
        return true;
    }

    static void send(SocketChannel to, long bytes) throws IOException {
        for (long sent = 0; sent < bytes; ) {
            int at = (int) (sent % PATTERN);
            ByteBuffer part = DATA.slice(at, (int) Math.min(DATA.capacity() - at, bytes - sent));
            sent += to.write(part);
        }
    }

    /** Receives and checks everything up to the end. */
    static long receive(SocketChannel from, long already) throws IOException {
        ByteBuffer sink = ByteBuffer.allocateDirect(1 << 18);
        long received = already;
        int count;
        while ((count = from.read(sink.clear())) >= 0) {
            check(equal(sink.flip(), received), "the system received wrong bytes at " + received);
            received += count;
        }
        return received;
    }
}
