package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A server is killed and started again while clients send requests, and connect again as soon as a connection fails. Every connection to
 * each of these servers is by RDMA, and through shared memory where that is allowed. {@code -Dverbena.restarts=100} restarts it as often.
 */
@Timeout(900)
class RestartTest {

    private static final int RESTARTS = Integer.getInteger("verbena.restarts", 5);
    private static final int CLIENTS = 8;

    /** The connections that clients have to the server of a generation, by what carries them. */
    private final Map<SocketTransport, Integer> connected = new TreeMap<>();

    private final List<Long> latestNs = new ArrayList<>();

    // Guarded by this.
    private int generation;
    private long listeningNs;
    private int here;

    /** Echoes single bytes. Arguments: carrier, port or 0. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws IOException {
            ServerSocketChannel listener = Life.provider(arguments[0]).openServerSocketChannel();
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1])));
            System.out.println(((InetSocketAddress) listener.getLocalAddress()).getPort());
            while (true) {
                SocketChannel peer = listener.accept();
                Thread.ofPlatform().daemon().start(() -> echo(peer));
            }
        }

        private static void echo(SocketChannel peer) {
            ByteBuffer bytes = ByteBuffer.allocate(64);
            try (peer) {
                while (peer.read(bytes.clear()) >= 0) {
                    Stage.writeAll(peer, bytes.flip());
                }
            } catch (IOException _) {
                return; // the client is gone
            }
        }
    }

    private static Process server(String carrier, int port) throws IOException {
        return ChildJvm.start(Server.class, carrier, port);
    }

    @ParameterizedTest
    @CsvSource({"auto, SHARED_MEMORY", "iwarp, IWARP"})
    void serverIsRestartedUnderTraffic_everyConnectionIsByRdma(
            String carrier, SocketTransport expected, TestReporter reporter) throws Exception {
        SelectorProvider provider = Life.provider(carrier);
        Process server = server(carrier, 0);
        int port = Integer.parseInt(server.inputReader().readLine());
        try {
            begin(1);
            for (int i = 0; i < CLIENTS; i++) {
                Thread.ofPlatform().daemon().start(() -> ask(provider, port));
            }
            awaitAll();
            for (int restart = 0; restart < RESTARTS; restart++) {
                begin(0);
                server.destroyForcibly().waitFor();
                server = server(carrier, port);
                server.inputReader().readLine();
                begin(restart + 2);
                awaitAll();
            }
        } finally {
            begin(-1);
            server.destroyForcibly();
        }
        reporter.publishEntry(
                carrier,
                RESTARTS + " restarts, " + connected + ", all clients connected after at most "
                        + latestNs.stream().mapToLong(Long::longValue).max().orElse(0) / 1_000_000 + " ms");
        assertEquals(Map.of(expected, CLIENTS * (RESTARTS + 1)), connected);
    }

    private synchronized void begin(int next) {
        generation = next;
        listeningNs = System.nanoTime();
        here = 0;
        notifyAll();
    }

    private synchronized void awaitAll() throws InterruptedException {
        while (here < CLIENTS) {
            wait();
        }
        latestNs.add(System.nanoTime() - listeningNs);
    }

    /** The first answer over a connection has come. */
    private synchronized void onAnswer(SocketTransport transport) throws InterruptedException {
        while (generation == 0) {
            wait(); // the server has not said yet that it listens
        }
        connected.merge(transport, 1, Integer::sum);
        here++;
        notifyAll();
    }

    private synchronized boolean ended() {
        return generation < 0;
    }

    private void ask(SelectorProvider provider, int port) {
        while (!ended()) {
            try (SocketChannel channel = provider.openSocketChannel()) {
                channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                exchange(channel);
                onAnswer(VerbenaSelectorProvider.transport(channel));
                while (!ended()) {
                    exchange(channel);
                }
            } catch (IOException _) {
                Thread.yield(); // the server restarts
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static void exchange(SocketChannel channel) throws IOException {
        Stage.writeAll(channel, Stage.text("x"));
        if (!Stage.read(channel, 1).equals("x")) {
            throw new IOException("the server has ended");
        }
    }
}
