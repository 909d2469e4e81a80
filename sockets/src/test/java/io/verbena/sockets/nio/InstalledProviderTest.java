package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.DatagramChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** A JVM of its own, in which the provider is that of the JVM. */
class InstalledProviderTest {

    /** What the JVM runs: it knows nothing of the provider until it prints what was chosen. */
    static final class Program {
        public static void main(String[] arguments) throws Exception {
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(Stage.anyPort());
                    SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept();
                    Selector selector = Selector.open();
                    DatagramChannel datagrams = DatagramChannel.open()) {
                Pipe pipe = Pipe.open();
                pipe.source().configureBlocking(false);
                pipe.source().register(selector, SelectionKey.OP_READ);
                datagrams.bind(Stage.anyPort());
                client.write(Stage.text("hello"));
                System.out.println(Stage.read(server, 5) + " " + VerbenaSelectorProvider.transport(client));
            }
        }
    }

    private static final String EXPORTS = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    private static String run(Class<?> program, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC"));
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.nio.channels.spi.SelectorProvider=" + VerbenaSelectorProvider.class.getName(),
                "-Dio.verbena.sockets.patience=20000"));
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.strip();
    }

    @Test
    void programOfItsOwn_usesRdma_withoutAChange() throws Exception {
        assertEquals("hello SHARED_MEMORY", run(Program.class, EXPORTS));
        assertEquals("hello TCP", run(Program.class, EXPORTS, "-Dio.verbena.sockets.provider=iwarp"));
        assertEquals(
                "hello IWARP",
                run(Program.class, EXPORTS, "-Dio.verbena.sockets.rdma=*", "-Dio.verbena.sockets.provider=iwarp"));
    }

    /** Sends a file, and prints how many writes that took. */
    static final class Sender {
        private static final int BYTES = 1 << 20;

        public static void main(String[] arguments) throws Exception {
            Path path = Files.createTempFile("verbena", ".bin");
            try (ServerSocketChannel listener = ServerSocketChannel.open().bind(Stage.anyPort());
                    SocketChannel client = SocketChannel.open(listener.getLocalAddress());
                    SocketChannel server = listener.accept();
                    FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
                byte[] content = new byte[BYTES];
                new Random(1).nextBytes(content);
                Files.write(path, content);
                CompletableFuture<byte[]> received = CompletableFuture.supplyAsync(() -> read(server));
                for (long sent = 0; sent < BYTES; ) {
                    sent += file.transferTo(sent, BYTES - sent, client);
                }
                long writes = ((VerbenaSelectorProvider) client.provider())
                        .figures().stream()
                                .mapToLong(each -> each.stream().sent().copies())
                                .sum();
                System.out.println(Arrays.equals(content, received.get()) + ", " + writes + " writes");
            } finally {
                Files.delete(path);
            }
        }

        private static byte[] read(SocketChannel server) {
            try {
                return Channels.newInputStream(server).readNBytes(BYTES);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** FileChannel.transferTo writes 8 KiB at a time to channels that it does not know: 128 times. */
    @Test
    void file_sentInFewWrites() throws Exception {
        String output = run(Sender.class, EXPORTS);
        assertTrue(output.matches("true, [1-9][0-9]? writes"), output);
    }

    /** A client in a JVM of its own; the properties have the address and the port. */
    static final class Client {

        static InetSocketAddress server() {
            return new InetSocketAddress(
                    System.getProperty("verbena.host", "localhost"), Integer.getInteger("verbena.port"));
        }

        public static void main(String[] arguments) throws Exception {
            try (SocketChannel client = SocketChannel.open(server())) {
                client.write(Stage.text("hello"));
                System.out.println(Stage.read(client, 5) + " " + VerbenaSelectorProvider.transport(client));
            }
        }
    }

    @Test
    void twoJvmsOfOneHost_shareMemory() throws Exception {
        try (Stage stage = new Stage(VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(java.time.Duration.ofSeconds(20))
                .withSilence(java.time.Duration.ofSeconds(10))))) {
            ServerSocketChannel listener = stage.listening();
            var transport = stage.submit(() -> {
                SocketChannel server = stage.keep(listener.accept());
                server.write(Stage.text(Stage.read(server, 5)));
                assertEquals("|end", Stage.read(server, 1));
                return VerbenaSelectorProvider.transport(server);
            });
            int port = ((InetSocketAddress) listener.getLocalAddress()).getPort();
            assertEquals("hello SHARED_MEMORY", run(Client.class, EXPORTS, "-Dverbena.port=" + port));
            assertEquals(SocketTransport.SHARED_MEMORY, transport.get());
        }
    }

    @Test
    void twoJvmsWithAddressesOfTheirOwn_useRoce() throws Exception {
        InetAddress address = Stage.freeAddress();
        try (Stage stage = new Stage(roce(address), address)) {
            ServerSocketChannel listener = stage.listening();
            var transport = stage.submit(() -> {
                SocketChannel server = stage.keep(listener.accept());
                server.write(Stage.text(Stage.read(server, 5)));
                assertEquals("|end", Stage.read(server, 1));
                return VerbenaSelectorProvider.transport(server);
            });
            assertEquals("hello ROCE", run(Client.class, roceClient(listener)));
            assertEquals(SocketTransport.ROCE, transport.get());
        }
    }

    private static VerbenaSelectorProvider roce(InetAddress device) {
        return VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(java.time.Duration.ofSeconds(20))
                .withProvider("roce")
                .withDevice(device.getHostAddress()));
    }

    private static String[] roceClient(ServerSocketChannel listener) throws IOException {
        InetSocketAddress address = (InetSocketAddress) listener.getLocalAddress();
        return new String[] {
            EXPORTS,
            "-Dverbena.host=" + address.getAddress().getHostAddress(),
            "-Dverbena.port=" + address.getPort(),
            "-Dio.verbena.sockets.rdma=127.0.0.0/8",
            "-Dio.verbena.sockets.provider=roce",
            "-Dio.verbena.sockets.device=" + Stage.freeAddress().getHostAddress()
        };
    }

    /** A client whose process ends without a word to its peer: the system does not know the connection. */
    static final class KilledClient {
        public static void main(String[] arguments) throws Exception {
            SocketChannel client = SocketChannel.open(Client.server());
            client.write(Stage.text("hello"));
            Runtime.getRuntime().halt(Stage.read(client, 5).length()); // no shutdown hook closes the channel
        }
    }

    @Test
    void peerByRoceIsKilled_writeFails_andReadEndsWithAReset() throws Exception {
        InetAddress address = Stage.freeAddress();
        try (Stage stage = new Stage(roce(address), address)) {
            ServerSocketChannel listener = stage.listening();
            var outcome = stage.submit(() -> {
                SocketChannel server = stage.keep(listener.accept());
                server.write(Stage.text(Stage.read(server, 5)));
                String written = Stage.tryOut(() -> {
                    while (true) {
                        server.write(Stage.text("more"));
                        LockSupport.parkNanos(1_000_000);
                    }
                });
                return written + ", " + Stage.tryOut(() -> server.read(ByteBuffer.allocate(1)));
            });
            run(KilledClient.class, roceClient(listener));
            assertEquals(
                    "java.io.IOException, java.net.SocketException: Connection reset",
                    outcome.get(30, TimeUnit.SECONDS));
        }
    }

    /** The channels of the JDK that core's RNICs use instead of ours, see SystemChannels. */
    static final class Front {
        public static void main(String[] arguments) {
            Object installed = SelectorProvider.provider();
            System.out.println(
                    installed instanceof Supplier<?> front
                            ? front.get().getClass().getPackageName()
                            : "none");
        }
    }

    @Test
    void rnicInThatJvm_usesTheChannelsOfTheJdk() throws Exception {
        assertEquals("sun.nio.ch", run(Front.class, EXPORTS));
        assertEquals(
                "hello IWARP",
                run(
                        Program.class,
                        EXPORTS,
                        "-Dio.verbena.sockets=jdk",
                        "-Dio.verbena.sockets.rdma=*",
                        "-Dio.verbena.sockets.provider=iwarp"));
    }

    @Test
    void exportIsMissing_messageStatesIt() throws Exception {
        String output = run(Program.class);
        assertTrue(output.contains("start the JVM with --add-exports=java.base/sun.nio.ch=ALL-UNNAMED"), output);
    }
}
