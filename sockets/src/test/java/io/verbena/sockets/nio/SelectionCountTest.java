package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A selection without a time returns for nothing but a key, a wake-up, an interrupt or a close, whatever happens at the channels meanwhile; one with a time
 * waits that long. The selector has channels over RDMA alone, or one of the JDK too, with which it waits in another way.
 */
@Timeout(120)
class SelectionCountTest {

    private static final String NOT_OF_INTEREST = "bytes that are not of interest";
    private static final int ROUNDS = 200;
    private static final int LARGE = 1 << 20;
    private static final int CONNECTIONS = 20;

    /** What happens at a channel whose key is in a selection, which returns for none of it. */
    private interface Noise {
        void make(Stage stage, Stage.Pair pair, SelectionKey key) throws Exception;
    }

    private static Map<String, Noise> noises() {
        Map<String, Noise> noises = new LinkedHashMap<>();
        noises.put("writes that the peer reads", (stage, pair, key) -> {
            Future<String> read = stage.submit(() -> drain(pair.client(), LARGE));
            Stage.writeAll(pair.server(), ByteBuffer.allocate(LARGE));
            read.get();
        });
        noises.put("small writes", (stage, pair, key) -> {
            Future<String> read = stage.submit(() -> drain(pair.client(), ROUNDS));
            for (int i = 0; i < ROUNDS; i++) {
                Stage.writeAll(pair.server(), ByteBuffer.allocate(1));
            }
            read.get();
        });
        noises.put(NOT_OF_INTEREST, (stage, pair, key) -> {
            for (int i = 0; i < ROUNDS; i++) {
                pair.client().write(Stage.text("x"));
            }
        });
        noises.put("the interest changes and changes back", (stage, pair, key) -> {
            for (int i = 0; i < ROUNDS; i++) {
                key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
                key.interestOps(SelectionKey.OP_READ);
            }
        });
        noises.put("channels are registered and cancelled", (stage, pair, key) -> {
            Stage.Pair other = stage.pair();
            other.server().configureBlocking(false);
            SelectionKey second = other.server().register(key.selector(), SelectionKey.OP_READ);
            other.client().write(Stage.text("x"));
            second.cancel();
        });
        noises.put("traffic of another channel", (stage, pair, key) -> {
            Stage.Pair other = stage.pair();
            Future<String> echo = stage.submit(() -> echo(other.server()));
            for (int i = 0; i < ROUNDS; i++) {
                other.client().write(Stage.text("x"));
                Stage.read(other.client(), 1);
            }
            other.client().close();
            echo.get();
        });
        return noises;
    }

    private static String drain(SocketChannel from, int bytes) throws Exception {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        while (into.hasRemaining() && from.read(into) >= 0) {}
        return "";
    }

    private static String echo(SocketChannel channel) throws Exception {
        ByteBuffer bytes = ByteBuffer.allocate(64);
        while (channel.read(bytes.clear()) >= 0) {
            Stage.writeAll(channel, bytes.flip());
        }
        return "";
    }

    private static SelectorProvider provider(String carrier) {
        return carrier.equals("plain")
                ? JdkProvider.find()
                : VerbenaSelectorProvider.of(SocketsOptions.defaults()
                        .withPatience(Duration.ofSeconds(20))
                        .withRdma("*")
                        .withProvider(carrier)
                        .withSilence(Duration.ofSeconds(2)));
    }

    /** Adds a channel of the JDK, at which nothing happens. */
    private static void addPipe(Stage stage, Selector selector) throws Exception {
        Pipe pipe = stage.provider.openPipe();
        stage.keep(pipe.source());
        stage.keep(pipe.sink());
        pipe.source().configureBlocking(false);
        pipe.source().register(selector, SelectionKey.OP_READ);
    }

    /** Selects again and again in a thread, and notes each return until {@link #end}. */
    private static final class Watch {

        private final List<String> returns = new CopyOnWriteArrayList<>();
        private final Thread thread;
        private final Selector selector;
        private volatile boolean over;

        Watch(Selector selector) {
            this.selector = selector;
            thread = Thread.ofPlatform().daemon().start(this::run);
            Stage.awaitBlocked(thread);
        }

        private void run() {
            while (!over) {
                String found = Stage.tryOut(() -> selector.select());
                if (!over) {
                    returns.add(found);
                }
            }
        }

        List<String> end() throws InterruptedException {
            Stage.awaitBlocked(thread);
            over = true;
            selector.wakeup();
            thread.join();
            return returns;
        }
    }

    @ParameterizedTest
    @CsvSource({"plain, false", "shm, false", "shm, true", "iwarp, false", "iwarp, true"})
    void whatIsNotOfInterest_endsNoSelection(String carrier, boolean withPipe) throws Exception {
        TreeMap<String, String> seen = new TreeMap<>();
        TreeMap<String, String> expected = new TreeMap<>();
        for (Map.Entry<String, Noise> each : noises().entrySet()) {
            try (Stage stage = new Stage(provider(carrier))) {
                Stage.Pair pair = stage.pair();
                pair.server().configureBlocking(false);
                Selector selector = stage.selector();
                int interest = each.getKey().equals(NOT_OF_INTEREST) ? 0 : SelectionKey.OP_READ;
                SelectionKey key = pair.server().register(selector, interest);
                if (withPipe) {
                    addPipe(stage, selector);
                }
                Watch watch = new Watch(selector);
                each.getValue().make(stage, pair, key);
                expected.put(each.getKey(), "[]");
                seen.put(each.getKey(), watch.end().toString());
            }
        }
        assertEquals(expected, seen);
    }

    /** A selection that finds a connection is followed by an accept, or a completed connect, that succeeds. */
    @ParameterizedTest
    @CsvSource({"plain, false", "shm, false", "shm, true", "iwarp, false", "iwarp, true"})
    void connectionsThatAreSetUp_endASelectionEach(String carrier, boolean withPipe) throws Exception {
        try (Stage stage = new Stage(provider(carrier))) {
            ServerSocketChannel listener = stage.listening();
            Future<String> accepting = stage.submit(() -> accept(stage, listener, withPipe));
            Selector selector = stage.selector();
            if (withPipe) {
                addPipe(stage, selector);
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                SocketChannel client = stage.client();
                client.configureBlocking(false);
                if (!client.connect(listener.getLocalAddress())) {
                    client.register(selector, SelectionKey.OP_CONNECT);
                    assertEquals(1, selector.select());
                    assertEquals(true, client.finishConnect());
                }
                selector.selectedKeys().clear();
                client.register(selector, SelectionKey.OP_READ);
                client.write(Stage.text("x"));
                assertEquals(1, selector.select());
                selector.selectedKeys().clear();
                assertEquals("x", Stage.read(client, 1));
            }
            assertEquals("[]", accepting.get());
        }
    }

    private static String accept(Stage stage, ServerSocketChannel listener, boolean withPipe) throws Exception {
        listener.configureBlocking(false);
        Selector selector = stage.selector();
        listener.register(selector, SelectionKey.OP_ACCEPT);
        if (withPipe) {
            addPipe(stage, selector);
        }
        List<String> empty = new CopyOnWriteArrayList<>();
        int echoed = 0;
        ByteBuffer bytes = ByteBuffer.allocate(64);
        while (echoed < CONNECTIONS) {
            if (selector.select() == 0) {
                empty.add("no key");
            }
            for (SelectionKey key : selector.selectedKeys()) {
                if (key.isAcceptable()) {
                    SocketChannel channel = listener.accept();
                    if (channel == null) {
                        empty.add("no connection");
                    } else {
                        stage.keep(channel).configureBlocking(false);
                        channel.register(selector, SelectionKey.OP_READ);
                    }
                } else {
                    SocketChannel channel = (SocketChannel) key.channel();
                    int read = channel.read(bytes.clear());
                    if (read <= 0) {
                        empty.add("no byte");
                    }
                    echoed++;
                    Stage.writeAll(channel, bytes.flip());
                }
            }
            selector.selectedKeys().clear();
        }
        return empty.toString();
    }

    /** What ends the wait inside, such as another thread that becomes the one that drives the engine, does not shorten it. */
    @ParameterizedTest
    @CsvSource({"shm, false", "shm, true", "iwarp, false", "iwarp, true"})
    void selectionWithATime_waitsThatLong(String carrier, boolean withPipe) throws Exception {
        try (Stage stage = new Stage(provider(carrier))) {
            Stage.Pair pair = stage.pair();
            pair.server().configureBlocking(false);
            Selector selector = stage.selector();
            pair.server().register(selector, SelectionKey.OP_READ);
            if (withPipe) {
                addPipe(stage, selector);
            }
            Stage.Pair other = stage.pair();
            Future<String> echo = stage.submit(() -> echo(other.server()));
            Future<String> traffic = stage.submit(() -> {
                while (other.client().isOpen()) {
                    other.client().write(Stage.text("x"));
                    Stage.read(other.client(), 1);
                    Stage.writeAll(pair.server(), ByteBuffer.allocate(1));
                    drain(pair.client(), 1);
                }
                return "";
            });
            for (int timeMs : new int[] {1, 10, 50}) {
                long startNs = System.nanoTime();
                assertEquals(0, selector.select(timeMs));
                long waitedNs = System.nanoTime() - startNs;
                assertEquals(true, waitedNs >= timeMs * 1_000_000L, timeMs + " ms: " + waitedNs + " ns");
            }
            other.client().close();
            Stage.tryOut(traffic::get);
            Stage.tryOut(echo::get); // a close with a byte unread is a reset
        }
    }
}
