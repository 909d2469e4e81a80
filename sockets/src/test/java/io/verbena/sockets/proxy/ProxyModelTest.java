package io.verbena.sockets.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.proxy.ProxyScene.Received;
import io.verbena.sockets.proxy.ProxyScene.Way;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many connections at once, each with what its seed says, against what a connection without a proxy would do. */
@Timeout(240)
class ProxyModelTest {

    private static final int CONNECTIONS = 200;

    static List<Way> ways() {
        return Way.all();
    }

    /** What an end does: it sends bytes in pieces, then shuts its output down or resets the connection. */
    private record Script(int number, boolean ofClient, int bytes, boolean resets) {

        static Script of(int number, boolean ofClient) {
            Random random = new Random(number * 2L + (ofClient ? 1 : 0));
            int bytes = random.nextInt(4) == 0 ? random.nextInt(300_000) : random.nextInt(2_000);
            return new Script(number, ofClient, bytes, ofClient == (number % 2 == 0) && random.nextInt(3) == 0);
        }

        int stream() {
            return number * 2 + (ofClient ? 1 : 0);
        }

        void send(SocketChannel to) throws IOException {
            Random random = new Random(~stream());
            for (int sent = 0; sent < bytes; ) {
                int end = Math.min(bytes, sent + 1 + random.nextInt(40_000));
                ProxyScene.write(to, stream(), sent, end);
                sent = end;
            }
            if (resets) {
                ProxyScene.reset(to);
            } else {
                to.shutdownOutput();
            }
        }

        /** What the other end reads, if nothing but this script ends the connection. */
        void check(Received received, boolean otherResets) {
            if (!resets && !otherResets) {
                assertEquals(new Received(bytes, "end"), received, this::toString);
            } else {
                assertTrue(received.bytes() <= bytes, () -> this + ": " + received);
                assertTrue(otherResets || received.ending().equals("reset"), () -> this + ": " + received);
                assertTrue(!received.ending().startsWith("another"), () -> this + ": " + received);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("ways")
    void connections_ofRandomScripts_readWhatTheyWouldWithoutAProxy(Way way) throws Exception {
        try (ProxyScene scene = ProxyScene.of(way)) {
            Map<Integer, Future<Received>> atTarget = new ConcurrentHashMap<>();
            Future<?> accepting = scene.submit(() -> {
                for (int i = 0; i < CONNECTIONS; i++) {
                    SocketChannel target = scene.accept();
                    scene.submit(() -> serve(scene, target, atTarget));
                }
                return "";
            });
            List<Future<Received>> atClient = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                int number = i;
                atClient.add(scene.submit(() -> {
                    SocketChannel client = scene.client();
                    client.write(ByteBuffer.allocate(Integer.BYTES).putInt(0, number));
                    client.read(ByteBuffer.allocate(1)); // the target knows the number: nothing is lost with a reset
                    return play(scene, client, Script.of(number, true), Script.of(number, false));
                }));
            }
            accepting.get();
            for (int i = 0; i < CONNECTIONS; i++) {
                Script ofClient = Script.of(i, true);
                Script ofTarget = Script.of(i, false);
                ofTarget.check(atClient.get(i).get(), ofClient.resets);
                ofClient.check(received(atTarget, i), ofTarget.resets);
            }
            assertEquals(0, scene.await(now -> now.open() == 0).open());
        }
    }

    private static Received received(Map<Integer, Future<Received>> atTarget, int number)
            throws ExecutionException, InterruptedException {
        return java.util.Objects.requireNonNull(atTarget.get(number)).get();
    }

    private static String serve(ProxyScene scene, SocketChannel target, Map<Integer, Future<Received>> results)
            throws IOException {
        ByteBuffer number = ByteBuffer.allocate(Integer.BYTES);
        while (number.hasRemaining() && target.read(number) >= 0) {
            Thread.onSpinWait();
        }
        int n = number.getInt(0);
        results.put(n, scene.submit(() -> {
            target.write(ByteBuffer.wrap(new byte[1])); // before the bytes of the script
            return play(scene, target, Script.of(n, false), Script.of(n, true));
        }));
        return "";
    }

    /** Sends and reads at the same time, and closes. TCP reports a reset once: if a write has failed, a read may see an end. */
    private static Received play(ProxyScene scene, SocketChannel channel, Script own, Script others) throws Exception {
        Future<String> sending = scene.submit(() -> {
            own.send(channel);
            return "";
        });
        Received received = ProxyScene.readAll(channel, others.stream());
        try {
            sending.get();
        } catch (ExecutionException e) {
            assertTrue(e.getCause() instanceof IOException && (own.resets || others.resets), e::toString);
            received = received.ending().equals("end") ? new Received(received.bytes(), "reset") : received;
        }
        channel.close();
        return received;
    }

    @ParameterizedTest
    @MethodSource("ways")
    void connections_manyAtOnce_areAllServed(Way way) throws Exception {
        int many = Integer.getInteger("verbena.proxy.connections", 300);
        try (ProxyScene scene = ProxyScene.of(way)) {
            List<ProxyScene.Pair> pairs = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                pairs.add(scene.pair());
            }
            assertEquals(many, scene.proxy.figures().connections().open());
            for (int i = 0; i < many; i++) {
                ProxyScene.write(pairs.get(i).target(), i, 0, 100);
                pairs.get(i).target().shutdownOutput();
                assertEquals(
                        new Received(100, "end"),
                        ProxyScene.readAll(pairs.get(i).client(), i));
                pairs.get(i).client().close();
            }
            assertEquals(0, scene.await(now -> now.open() == 0).open());
        }
    }
}
