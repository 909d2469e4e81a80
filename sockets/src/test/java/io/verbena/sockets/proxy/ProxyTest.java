package io.verbena.sockets.proxy;

import static io.verbena.sockets.proxy.ProxyScene.readAll;
import static io.verbena.sockets.proxy.ProxyScene.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.proxy.ProxyScene.Pair;
import io.verbena.sockets.proxy.ProxyScene.Received;
import io.verbena.sockets.proxy.ProxyScene.Way;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each way in which an end can behave, for a client and for a target, over RDMA at either end. */
@Timeout(120)
class ProxyTest {

    private static final long BYTES = 700_001;

    static List<Way> ways() {
        return Way.all();
    }

    /** Each way, and whether the client or the target does it. */
    static Stream<Arguments> endsOfEachWay() {
        return Way.all().stream().flatMap(way -> Stream.of(Arguments.of(way, true), Arguments.of(way, false)));
    }

    @ParameterizedTest
    @MethodSource("endsOfEachWay")
    void open_oneEndCloses_otherReadsAllBytesAndTheEnd(Way way, boolean client) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Pair pair = scene.pair();
            Future<Received> received = scene.submit(() -> readAll(pair.end(!client), 1));
            write(pair.end(client), 1, 0, BYTES);
            pair.end(client).close();
            assertEquals(new Received(BYTES, "end"), received.get());
            pair.end(!client).close();
            assertEquals(0, scene.await(now -> now.open() == 0).open());
            ProxyFigures figures = scene.proxy.figures();
            assertEquals(BYTES + (client ? 1 : 0), client ? figures.bytesToTarget() : figures.bytesToClients());
            assertEquals(0, figures.connections().plain());
            assertEquals(List.of(), List.copyOf(scene.problems));
        }
    }

    @ParameterizedTest
    @MethodSource("endsOfEachWay")
    void open_oneEndHalfCloses_otherStillSends(Way way, boolean client) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Pair pair = scene.pair();
            Future<Received> received = scene.submit(() -> readAll(pair.end(!client), 1));
            write(pair.end(client), 1, 0, BYTES);
            pair.end(client).shutdownOutput();
            assertEquals(new Received(BYTES, "end"), received.get());
            Future<Received> answer = scene.submit(() -> readAll(pair.end(client), 2));
            write(pair.end(!client), 2, 0, BYTES);
            pair.end(!client).close();
            assertEquals(new Received(BYTES, "end"), answer.get());
            assertEquals(0, scene.await(now -> now.open() == 0).open());
        }
    }

    @ParameterizedTest
    @MethodSource("endsOfEachWay")
    void open_oneEndResets_otherIsReset(Way way, boolean client) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Pair pair = scene.pair();
            write(pair.end(client), 1, 0, 1000);
            ByteBuffer some = ByteBuffer.allocate(1);
            pair.end(!client).read(some);
            ProxyScene.reset(pair.end(client));
            assertEquals("reset", ending(pair.end(!client)));
            assertEquals(0, scene.await(now -> now.open() == 0).open());
        }
    }

    private static String ending(SocketChannel channel) {
        ByteBuffer rest = ByteBuffer.allocate(1 << 16);
        try {
            while (channel.read(rest.clear()) >= 0) {
                Thread.onSpinWait();
            }
            return "end";
        } catch (IOException _) {
            return "reset";
        }
    }

    @ParameterizedTest
    @MethodSource("endsOfEachWay")
    void open_oneEndClosesWithBytesUnderWay_senderIsReset(Way way, boolean client) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Pair pair = scene.pair();
            pair.end(client).close();
            assertEquals(new Received(0, "end"), readAll(pair.end(!client), 1));
            assertThrows(IOException.class, () -> write(pair.end(!client), 1, 0, 1L << 30));
            assertEquals(0, scene.await(now -> now.open() == 0).open());
        }
    }

    @ParameterizedTest
    @MethodSource("endsOfEachWay")
    void open_oneEndReadsSlowly_otherIsStoppedAndNoByteIsLost(Way way, boolean client) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Pair pair = scene.pair();
            SocketChannel sender = pair.end(!client);
            sender.configureBlocking(false);
            long written = writeUntilStopped(sender);
            assertTrue(written < 100 << 20, () -> "never stopped, after " + written + " bytes");
            sender.configureBlocking(true);
            Future<Received> received = scene.submit(() -> readAll(pair.end(client), 1, 10_007));
            sender.shutdownOutput();
            assertEquals(new Received(written, "end"), received.get());
        }
    }

    /** Until the peer has taken nothing for half a second. */
    private static long writeUntilStopped(SocketChannel sender) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(32 << 10);
        long written = 0;
        long progressNs = System.nanoTime();
        while (written < 100 << 20 && System.nanoTime() - progressNs < 500_000_000) {
            buffer.clear();
            for (int i = 0; i < buffer.limit(); i++) {
                buffer.put(i, ProxyScene.at(1, written + i));
            }
            int count = sender.write(buffer);
            written += count;
            if (count > 0) {
                progressNs = System.nanoTime();
            }
        }
        return written;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void targetIsAway_clientIsResetAtOnce_nextOneIsServed(Way way) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            InetSocketAddress target = scene.stopServer();
            SocketChannel client = scene.client();
            assertEquals("reset", ending(client));
            assertEquals(1, scene.await(now -> now.failed() == 1).failed());
            assertEquals(
                    "The target " + new ProxyAddress(!way.clientByRdma(), target)
                            + " cannot be connected: Connection refused",
                    scene.problems.peek());
            scene.startServer(target);
            Pair pair = scene.pair();
            Future<Received> received = scene.submit(() -> readAll(pair.target(), 1));
            write(pair.client(), 1, 0, BYTES);
            pair.client().close();
            assertEquals(new Received(BYTES, "end"), received.get());
        }
    }

    private static final InetAddress AWAY = InetAddress.ofLiteral("127.0.0.2");

    @ParameterizedTest
    @MethodSource("ways")
    void firstAddressOfTheTargetIsAway_nextOneIsConnected(Way way) throws Exception {
        ProxyLimits limits = ProxyLimits.defaults().withConnect(ProxyScene.SETUP);
        InetAddress there = ProxyScene.anyPort().getAddress();
        try (ProxyScene scene = ProxyScene.of(way, limits, _ -> new InetAddress[] {AWAY, there})) {
            Pair pair = scene.pair();
            Future<Received> received = scene.submit(() -> readAll(pair.target(), 1));
            write(pair.client(), 1, 0, BYTES);
            pair.client().close();
            assertEquals(new Received(BYTES, "end"), received.get());
            assertEquals(List.of(), List.copyOf(scene.problems));
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void noAddressOfTheTargetIsThere_nameIsLookedUpAgain(Way way) throws Exception {
        ProxyLimits limits = ProxyLimits.defaults().withConnect(ProxyScene.SETUP);
        CountDownLatch lookUps = new CountDownLatch(2);
        try (ProxyScene scene = ProxyScene.of(way, limits, _ -> {
            lookUps.countDown();
            return new InetAddress[] {AWAY};
        })) {
            assertEquals("reset", ending(scene.client()));
            lookUps.await();
        }
    }

    @Test
    void targetIsAway_manyClients_oneLinePerSecond() throws Exception {
        int clients = 300;
        try (ProxyScene scene = ProxyScene.of(new Way(false, "iwarp"))) {
            scene.stopServer();
            long startNs = System.nanoTime();
            for (int i = 0; i < clients; i++) {
                scene.client();
            }
            assertEquals(clients, scene.await(now -> now.failed() == clients).failed());
            long seconds = (System.nanoTime() - startNs) / ProblemLines.EVERY_NS;
            assertTrue(scene.problems.size() <= 1 + seconds, () -> scene.problems.toString());
            scene.proxy.close();
            assertTrue(scene.problems.size() >= 2, "the number is said at the end");
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void keepAlive_bothEndsHaveIt_andCarryBytes(Way way) throws Exception {
        ProxyLimits limits =
                ProxyLimits.defaults().withConnect(ProxyScene.SETUP).withKeepAlive(Duration.ofSeconds(30));
        try (ProxyScene scene = ProxyScene.of(way, limits)) {
            Pair pair = scene.pair();
            Future<Received> received = scene.submit(() -> readAll(pair.target(), 1));
            write(pair.client(), 1, 0, BYTES);
            pair.client().close();
            assertEquals(new Received(BYTES, "end"), received.get());
        }
    }

    @Test
    void keepAlive_setsTheTimesOfTheSystem() throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            KeepAlive.of(channel, Duration.ofSeconds(30));
            assertTrue(channel.getOption(StandardSocketOptions.SO_KEEPALIVE));
            List<Integer> times = new ArrayList<>();
            for (String name : List.of("TCP_KEEPIDLE", "TCP_KEEPINTERVAL", "TCP_KEEPCOUNT")) {
                for (SocketOption<?> option : channel.supportedOptions()) {
                    if (option.name().equals(name)) {
                        times.add((Integer) channel.getOption(option));
                    }
                }
            }
            assertEquals(List.of(30, 10, 3), times);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void targetIsSilent_clientIsResetAfterTheTime(Way way) throws Exception {
        ProxyLimits limits = ProxyLimits.defaults().withConnect(Duration.ofMillis(300));
        try (ProxyScene scene = ProxyScene.of(way, limits)) {
            fill(scene);
            SocketChannel client = scene.client();
            assertEquals("reset", ending(client));
            assertEquals(1, scene.await(now -> now.failed() == 1).failed());
            assertTrue(
                    String.valueOf(scene.problems.peek()).endsWith(" did not answer within 0.3 s"),
                    () -> scene.problems.toString());
        }
    }

    /** Those beyond the limit wait in the queue of the listener, and their time begins when they are accepted. */
    @Test
    void targetIsSilent_manyClients_areNotAllAcceptedAtOnce() throws Exception {
        ProxyLimits limits = ProxyLimits.defaults().withConnect(Duration.ofMillis(300));
        int clients = 600;
        try (ProxyScene scene = ProxyScene.of(new Way(false, "iwarp"), limits)) {
            fill(scene);
            List<SocketChannel> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(scene.client());
            }
            long most = 0;
            while (scene.proxy.figures().connections().failed() < clients) {
                most = Math.max(most, scene.proxy.figures().connections().open());
                Thread.onSpinWait();
            }
            for (SocketChannel client : all) {
                assertEquals("reset", ending(client));
            }
            assertTrue(most > 0 && most <= 256, most + " connections waited at the same time");
        }
    }

    /** The system drops requests for the address once the queue of its listener is full. */
    private static void fill(ProxyScene scene) throws IOException {
        InetSocketAddress target = scene.stopServer();
        ServerSocketChannel full = scene.keep(ServerSocketChannel.open());
        full.setOption(StandardSocketOptions.SO_REUSEADDR, true);
        full.bind(target, 1);
        for (int i = 0; i < 8; i++) {
            SocketChannel waiting = scene.keep(SocketChannel.open());
            waiting.configureBlocking(false);
            waiting.connect(target);
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void limitIsReached_nextIsRefused_untilOneEnds(Way way) throws Exception {
        for (ProxyLimits limits : List.of(
                ProxyLimits.defaults().withConnections(2),
                ProxyLimits.defaults().withPerAddress(2))) {
            try (ProxyScene scene = ProxyScene.of(way, limits.withConnect(ProxyScene.SETUP))) {
                Pair first = scene.pair();
                scene.pair();
                SocketChannel third = scene.client();
                assertEquals("reset", ending(third));
                assertEquals(1, scene.await(now -> now.refused() == 1).refused());
                ProxyScene.reset(first.client());
                assertEquals(1, scene.await(now -> now.open() == 1).open());
                scene.pair();
                assertEquals(3, scene.proxy.figures().connections().accepted());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void proxyEnds_bothEndsAreReset(Way way) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Pair pair = scene.pair();
            scene.proxy.close();
            assertEquals("reset", ending(pair.client()));
            assertEquals("reset", ending(pair.target()));
            assertFalse(scene.proxy.running());
        }
    }
}
