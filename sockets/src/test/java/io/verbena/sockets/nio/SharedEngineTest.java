package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several threads wait for channels of one RNIC at a time: one drives the engine, the others park, and none misses a message. */
@Timeout(120)
class SharedEngineTest {

    private static final int SELECTORS = 4;
    private static final int CHANNELS = 3;
    private static final int MESSAGES = 300;

    private static Stage stage(String provider) {
        return new Stage(VerbenaSelectorProvider.of(SocketsOptions.defaults()
                .withPatience(java.time.Duration.ofSeconds(20))
                .withRdma("*")
                .withProvider(provider)
                .withSilence(Duration.ofSeconds(2))));
    }

    /** Returns what comes until all channels have ended. */
    private static int echo(Selector selector, int channels) throws Exception {
        int messages = 0;
        int left = channels;
        ByteBuffer bytes = ByteBuffer.allocate(64);
        while (left > 0) {
            selector.select();
            for (SelectionKey key : List.copyOf(selector.selectedKeys())) {
                SocketChannel channel = (SocketChannel) key.channel();
                int read = channel.read(bytes.clear());
                if (read < 0) {
                    channel.close();
                    left--;
                } else {
                    messages += read;
                    Stage.writeAll(channel, bytes.flip());
                }
            }
            selector.selectedKeys().clear();
        }
        return messages;
    }

    private static Thread platform(List<AtomicInteger> results, Selector selector) {
        AtomicInteger result = new AtomicInteger(-1);
        results.add(result);
        return Thread.ofPlatform().start(() -> {
            try {
                result.set(echo(selector, CHANNELS));
            } catch (Exception e) {
                result.set(-2);
            }
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void manySelectors_andBlockedReaders_allMessagesArrive(String provider) throws Exception {
        try (Stage stage = stage(provider)) {
            Stage.Pair idle = stage.pair();
            Thread idleReader = Thread.ofPlatform().start(() -> Stage.tryOut(() -> Stage.read(idle.server(), 1)));
            ServerSocketChannel listener = stage.listening();
            List<SocketChannel> clients = new ArrayList<>();
            List<AtomicInteger> echoed = new ArrayList<>();
            List<Thread> echoes = new ArrayList<>();
            for (int i = 0; i < SELECTORS; i++) {
                Selector selector = stage.selector();
                for (int c = 0; c < CHANNELS; c++) {
                    SocketChannel client = stage.client();
                    client.connect(listener.getLocalAddress());
                    clients.add(client);
                    SocketChannel server = stage.keep(listener.accept());
                    server.configureBlocking(false);
                    server.register(selector, SelectionKey.OP_READ);
                }
                echoes.add(platform(echoed, selector));
            }
            List<Future<Integer>> replies = new ArrayList<>();
            for (SocketChannel client : clients) {
                replies.add(stage.submit(() -> pingPong(client)));
            }
            for (Future<Integer> reply : replies) {
                assertEquals(MESSAGES, reply.get());
            }
            for (Thread echo : echoes) {
                echo.join();
            }
            assertEquals(
                    SELECTORS * CHANNELS * MESSAGES,
                    echoed.stream().mapToInt(AtomicInteger::get).sum());
            idle.client().write(Stage.text("x"));
            idleReader.join();
        }
    }

    private static int pingPong(SocketChannel client) throws Exception {
        int replies = 0;
        try (client) {
            for (int i = 0; i < MESSAGES; i++) {
                client.write(Stage.text("x"));
                replies += Stage.read(client, 1).equals("x") ? 1 : 0;
            }
        }
        return replies;
    }

    /** A thread that only polls, with a selector or without, drives the engine. */
    @ParameterizedTest
    @CsvSource({"auto, true", "auto, false", "iwarp, true", "iwarp, false"})
    void threadsThatPoll_allMessagesArrive(String provider, boolean selects) throws Exception {
        try (Stage stage = stage(provider)) {
            Stage.Pair pair = stage.pair();
            SocketChannel server = pair.server();
            server.configureBlocking(false);
            Selector selector = stage.selector();
            server.register(selector, SelectionKey.OP_READ);
            Future<Integer> replies = stage.submit(() -> pingPong(pair.client()));
            int echoed = 0;
            ByteBuffer bytes = ByteBuffer.allocate(64);
            while (echoed < MESSAGES) {
                if (!selects || selector.selectNow() > 0) {
                    selector.selectedKeys().clear();
                    echoed += Math.max(0, server.read(bytes.clear()));
                    server.write(bytes.flip());
                }
            }
            assertEquals(MESSAGES, replies.get());
        }
    }

    /** A selector that has channels of the JDK, too, polls both and waits in the selector of the JDK. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void selectorWithChannelsOfTheJdk_messagesOfBothArrive(String provider) throws Exception {
        try (Stage stage = stage(provider)) {
            Stage.Pair pair = stage.pair();
            pair.server().configureBlocking(false);
            Selector selector = stage.selector();
            SelectionKey stream = pair.server().register(selector, SelectionKey.OP_READ);
            Pipe pipe = stage.provider.openPipe();
            stage.keep(pipe.source());
            stage.keep(pipe.sink());
            pipe.source().configureBlocking(false);
            SelectionKey bytes = pipe.source().register(selector, SelectionKey.OP_READ);
            Future<Integer> replies = stage.submit(() -> pingPong(pair.client()));
            Future<Integer> written = stage.submit(() -> {
                for (int i = 0; i < MESSAGES; i++) {
                    pipe.sink().write(Stage.text("p"));
                    LockSupport.parkNanos(i % 2 * 300_000L);
                }
                return MESSAGES;
            });
            int echoed = 0;
            int piped = 0;
            ByteBuffer space = ByteBuffer.allocate(64);
            while (echoed < MESSAGES || piped < MESSAGES) {
                selector.select();
                if (bytes.isReadable()) {
                    piped += pipe.source().read(space.clear());
                }
                if (stream.isReadable()) {
                    int read = pair.server().read(space.clear());
                    echoed += Math.max(0, read);
                    pair.server().write(space.flip());
                    stream.interestOps(read < 0 ? 0 : SelectionKey.OP_READ);
                }
                selector.selectedKeys().clear();
            }
            assertEquals(MESSAGES, replies.get());
            assertEquals(MESSAGES, written.get());
            stream.cancel();
            selector.selectNow();
            Thread wakes = Thread.ofPlatform().start(() -> {
                LockSupport.parkNanos(2_000_000);
                selector.wakeup();
            });
            assertEquals(0, selector.select());
            wakes.join();
        }
    }
}
