package io.verbena.sockets.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.nio.VerbenaSelectorProvider;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program ends: its peer gets what was written, and its shutdown hooks use its sockets. Each program is a JVM with the agent. */
class EndOfProgramTest {

    private static final int BYTES = 300_000;
    private static final String SHARED_MEMORY = "=provider=shm";
    private static final String IWARP = "=rdma=*,provider=iwarp,setup=60";

    /** Writes, and ends at once: by {@code System.exit} or by the return of its main method, with or without a close. */
    static final class Writer {
        public static void main(String[] arguments) throws Exception {
            SocketChannel channel = SocketChannel.open(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])));
            ByteBuffer bytes = ByteBuffer.allocate(BYTES);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            if (arguments[1].contains("close")) {
                channel.close();
            }
            if (arguments[1].contains("exit")) {
                System.exit(0);
            }
        }
    }

    /** Reads the first byte, and the others when the program of its peer has ended: when its own standard input ends. */
    static final class Reader {
        public static void main(String[] arguments) throws Exception {
            try (ServerSocketChannel listener =
                    ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
                SocketChannel channel = listener.accept();
                long all = channel.read(ByteBuffer.allocate(1));
                System.in.readAllBytes();
                ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
                for (int got = 0; got >= 0; got = channel.read(bytes.clear())) {
                    all += got;
                }
                System.out.println(all + " bytes, then the end, " + VerbenaSelectorProvider.transport(channel));
            } catch (IOException e) {
                System.out.println(e);
            }
        }
    }

    /** A server that lets the request in progress finish in a shutdown hook: in a thread that is a daemon. */
    static final class Server {
        public static void main(String[] arguments) throws Exception {
            CountDownLatch ending = new CountDownLatch(1);
            CountDownLatch answered = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                ending.countDown();
                await(answered);
            }));
            ServerSocketChannel listener =
                    ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            SocketChannel channel = listener.accept();
            channel.read(ByteBuffer.allocate(1));
            Thread.ofPlatform().daemon().start(() -> {
                await(ending);
                answer(channel);
                answered.countDown();
            });
            System.exit(0);
        }

        private static void answer(SocketChannel channel) {
            ByteBuffer answer = ByteBuffer.allocate(BYTES);
            try {
                while (answer.hasRemaining()) {
                    channel.write(answer);
                }
            } catch (IOException e) {
                System.out.println(e);
            }
        }

        private static void await(CountDownLatch latch) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Sends a request and reads the answer. */
    static final class Client {
        public static void main(String[] arguments) throws Exception {
            try (SocketChannel channel = SocketChannel.open(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])))) {
                channel.write(ByteBuffer.allocate(1));
                long all = 0;
                ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
                for (int got = 0; got >= 0; got = channel.read(bytes.clear())) {
                    all += got;
                }
                System.out.println(all + " bytes, then the end, " + VerbenaSelectorProvider.transport(channel));
            } catch (IOException e) {
                System.out.println(e);
            }
        }
    }

    @TempDir
    private Path folder = Path.of(".");

    private static Path classes() throws Exception {
        return Path.of(EndOfProgramTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }

    private Process start(List<String> options, Class<?> program, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    private List<String> agent(String options) throws Exception {
        return List.of(
                "-javaagent:" + AgentJar.make(folder) + options,
                "-cp",
                classes().toString());
    }

    /** Without the agent, and without what it exports for the end of the program. */
    private static List<String> provider() {
        return List.of(
                "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-Djava.nio.channels.spi.SelectorProvider=io.verbena.sockets.nio.VerbenaSelectorProvider",
                "-cp",
                System.getProperty("java.class.path"));
    }

    private static String line(InputStream output) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = output.read(); next != '\n' && next >= 0; next = output.read()) {
            line.append((char) next);
        }
        return line.toString().strip();
    }

    private static String rest(Process process) throws IOException {
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    /** Returns what the reader says about a writer that has ended before it reads. */
    private String write(String options, String ending) throws Exception {
        Process reader = start(agent(options), Reader.class);
        try (OutputStream go = reader.getOutputStream()) {
            String port = line(reader.getInputStream());
            Process writer = start(agent(options), Writer.class, port, ending);
            assertEquals("", rest(writer));
            assertEquals(0, writer.waitFor());
            go.flush();
        }
        return rest(reader);
    }

    @ParameterizedTest
    @ValueSource(strings = {"close, exit", "close", "exit", ""})
    void writerEnds_readerReadsLater_everythingArrives(String ending) throws Exception {
        assertEquals(BYTES + " bytes, then the end, SHARED_MEMORY", write(SHARED_MEMORY, ending));
    }

    @Test
    void writerEnds_byIwarp_everythingArrives() throws Exception {
        assertEquals(BYTES + " bytes, then the end, IWARP", write(IWARP, "exit"));
    }

    private String serve(List<String> options) throws Exception {
        Process server = start(options, Server.class);
        Process client = start(options, Client.class, line(server.getInputStream()));
        String read = rest(client);
        assertEquals("", rest(server));
        assertEquals(0, server.waitFor());
        return read;
    }

    @ParameterizedTest
    @ValueSource(strings = {SHARED_MEMORY, IWARP})
    void shutdownHook_finishesTheRequest_clientGetsTheWholeAnswer(String options) throws Exception {
        String read = serve(agent(options));
        assertTrue(read.startsWith(BYTES + " bytes, then the end, "), read);
        assertTrue(!read.endsWith("TCP]"), read);
    }

    @Test
    void shutdownHook_withoutTheAgent_clientGetsTheWholeAnswer() throws Exception {
        assertEquals(BYTES + " bytes, then the end, SHARED_MEMORY", serve(provider()));
    }
}
