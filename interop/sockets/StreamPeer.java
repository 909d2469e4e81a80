import com.sun.net.httpserver.HttpServer;
import io.verbena.sockets.nio.SocketTransport;
import io.verbena.sockets.nio.VerbenaSelectorProvider;
import io.verbena.sockets.stream.StreamTotals;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.Executors;

/**
 * The other side of C programs under librspreload, over channels of java.nio whose provider is that of Verbena:
 *
 * <pre>
 * StreamPeer send|receive|exchange server|client ADDRESS PORT IN OUT
 * StreamPeer echo server ADDRESS PORT
 * StreamPeer rstream client ADDRESS PORT BYTES TRANSFERS ITERATIONS
 * StreamPeer web server ADDRESS PORT FILE
 * StreamPeer fetch client ADDRESS PORT REQUESTS OUT
 * StreamPeer survive server ADDRESS PORT IN OUT
 * </pre>
 *
 * IN is sent and the end of the stream after it, what the peer sends goes to OUT. With survive, the first peer is to be lost
 * in the middle of its bytes, and the second one exchanges files. Ends with 0 if all was as it should be; the connection must
 * be by RDMA.
 */
final class StreamPeer {

    private static final int RSTREAM_SYNC_BYTES = 16;

    private StreamPeer() {}

    public static void main(String[] arguments) throws Exception {
        InetSocketAddress address = new InetSocketAddress(arguments[2], Integer.parseInt(arguments[3]));
        String[] rest = Arrays.copyOfRange(arguments, 4, arguments.length);
        switch (arguments[0]) {
            case "web" -> serveWeb(address, Path.of(rest[0]));
            case "fetch" -> fetch(address, Integer.parseInt(rest[0]), Path.of(rest[1]));
            case "survive" -> survive(address, rest);
            default -> {
                try (SocketChannel channel = arguments[1].equals("server") ? accepted(address) : connected(address)) {
                    talk(arguments[0], channel, rest);
                }
            }
        }
        System.out.println("exchanged");
        System.exit(0);
    }

    private static void talk(String what, SocketChannel channel, String[] rest) throws Exception {
        switch (what) {
            case "send" -> {
                send(channel, rest[0]);
                receive(channel, "/dev/null");
            }
            case "receive" -> receive(channel, rest[1]);
            case "exchange" -> exchange(channel, rest);
            case "echo" -> echo(channel);
            case "rstream" ->
                rstream(channel, Integer.parseInt(rest[0]), Integer.parseInt(rest[1]), Integer.parseInt(rest[2]));
            default -> throw new IllegalArgumentException("there is no " + what);
        }
        byRdma(channel);
    }

    private static SocketChannel connected(InetSocketAddress address) throws IOException {
        SocketChannel channel = SocketChannel.open(address);
        byRdma(channel);
        return channel;
    }

    private static SocketChannel accepted(InetSocketAddress address) throws IOException {
        try (ServerSocketChannel server = listening(address)) {
            return server.accept();
        }
    }

    private static ServerSocketChannel listening(InetSocketAddress address) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open().bind(address);
        System.err.println("Listening");
        return server;
    }

    private static void byRdma(SocketChannel channel) {
        SocketTransport transport = VerbenaSelectorProvider.transport(channel);
        if (transport != SocketTransport.IWARP && transport != SocketTransport.ROCE) {
            throw new IllegalStateException("the connection is by " + transport);
        }
    }

    private static void exchange(SocketChannel channel, String[] files) throws Exception {
        Thread sender = Thread.ofPlatform().start(() -> {
            try {
                send(channel, files[0]);
            } catch (IOException failure) {
                failure.printStackTrace();
            }
        });
        receive(channel, files[1]);
        sender.join();
    }

    private static void send(SocketChannel channel, String file) throws IOException {
        try (FileChannel in = FileChannel.open(Path.of(file))) {
            for (long at = 0; at < in.size(); ) {
                at += in.transferTo(at, in.size() - at, channel);
            }
        }
        channel.shutdownOutput();
    }

    private static void receive(SocketChannel channel, String file) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        try (FileChannel out = FileChannel.open(Path.of(file), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            while (channel.read(buffer) >= 0) {
                out.write(buffer.flip());
                buffer.clear();
            }
        }
    }

    /** With the property silent, nothing is read for as many milliseconds at first. */
    private static void echo(SocketChannel channel) throws Exception {
        Thread.sleep(Long.getLong("silent", 0));
        ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
        while (channel.read(buffer) >= 0) {
            buffer.flip();
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            buffer.clear();
        }
    }

    /** The client of {@code rstream -S BYTES -C TRANSFERS -I ITERATIONS}, whose server answers each iteration with as much. */
    private static void rstream(SocketChannel channel, int bytes, int transfers, int iterations) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocateDirect(Math.max(bytes, RSTREAM_SYNC_BYTES));
        write(channel, buffer, RSTREAM_SYNC_BYTES);
        read(channel, buffer, RSTREAM_SYNC_BYTES);
        for (int i = 0; i < iterations; i++) {
            for (int j = 0; j < transfers; j++) {
                write(channel, buffer, bytes);
            }
            for (int j = 0; j < transfers; j++) {
                read(channel, buffer, bytes);
            }
        }
    }

    private static void write(SocketChannel channel, ByteBuffer buffer, int bytes) throws IOException {
        buffer.clear().limit(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
    }

    private static void read(SocketChannel channel, ByteBuffer buffer, int bytes) throws IOException {
        buffer.clear().limit(bytes);
        while (buffer.hasRemaining()) {
            if (channel.read(buffer) < 0) {
                throw new IOException("rstream ended early");
            }
        }
    }

    /** Serves the file at each path, and answers a POST with its own body, until the process is ended. */
    private static void serveWeb(InetSocketAddress address, Path file) throws Exception {
        byte[] content = Files.readAllBytes(file);
        HttpServer server = HttpServer.create(address, 0);
        server.setExecutor(Executors.newCachedThreadPool());
        server.createContext("/", exchange -> {
            byte[] body = exchange.getRequestBody().readAllBytes();
            byte[] answer = exchange.getRequestMethod().equals("POST") ? body : content;
            exchange.sendResponseHeaders(connectionsByRdma() == 0 ? 503 : 200, answer.length);
            try (var out = exchange.getResponseBody()) {
                out.write(answer);
            }
        });
        server.start();
        System.err.println("Listening");
        Thread.currentThread().join();
    }

    /** Requests over kept connections; the last answer goes to the file. */
    private static void fetch(InetSocketAddress address, int requests, Path out) throws Exception {
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + "/random"))
                .build();
        for (int i = 0; i < requests; i++) {
            int status = client.send(request, BodyHandlers.ofFile(out)).statusCode();
            if (status != 200) {
                throw new IOException("status " + status);
            }
        }
        if (connectionsByRdma() != 1) {
            throw new IllegalStateException(connectionsByRdma() + " connections by RDMA for requests over one connection");
        }
    }

    private static long connectionsByRdma() {
        return ((VerbenaSelectorProvider) SelectorProvider.provider())
                .totals().stream().mapToLong(StreamTotals::sockets).sum();
    }

    /** Bytes after which a peer that sends without an end can be killed. */
    private static final long AMID = 256 << 10;

    private static void survive(InetSocketAddress address, String[] files) throws Exception {
        try (ServerSocketChannel server = listening(address)) {
            try (SocketChannel lost = server.accept()) {
                long received = 0;
                ByteBuffer buffer = ByteBuffer.allocate(1 << 16);
                try {
                    for (int n; (n = lost.read(buffer.clear())) >= 0; ) {
                        received += n;
                        if (received >= AMID && received - n < AMID) {
                            System.err.println("Amid its bytes");
                        }
                    }
                    throw new IllegalStateException("a killed peer ended its stream as if it were whole");
                } catch (IOException reset) {
                    System.err.println("lost after " + received + " bytes: " + reset.getMessage());
                }
            }
            try (SocketChannel next = server.accept()) {
                exchange(next, files);
                byRdma(next);
            }
        }
    }
}
