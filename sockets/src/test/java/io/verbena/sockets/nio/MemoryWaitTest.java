package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.sockets.nio.select.MemoryWait;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Selectors of a few rings, which wait in the shared memory, and the changes between that and the selector of the JDK. */
@Timeout(120)
class MemoryWaitTest {

    private static final int ROUNDS = 300;

    private Stage stage;
    private VerbenaSelector selector;
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void begin() throws Exception {
        SocketsOptions options = SocketsOptions.defaults();
        stage = new Stage(VerbenaSelectorProvider.of(options.withPatience(Duration.ofSeconds(20))
                .withSilence(Duration.ofSeconds(2))
                .withStreams(options.streams().withConnectTimeout(Duration.ofSeconds(30)))));
        selector = (VerbenaSelector) stage.provider.openSelector();
        open.add(selector);
    }

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        stage.close();
    }

    private SocketChannel client(Selector in, List<SocketChannel> servers) throws Exception {
        Stage.Pair pair = stage.pair();
        open.add(pair.client());
        open.add(pair.server());
        servers.add(pair.server());
        pair.client().configureBlocking(false);
        pair.client().register(in, SelectionKey.OP_READ);
        return pair.client();
    }

    /** Selects in another thread. */
    private static CompletableFuture<Integer> selecting(Selector in) {
        CompletableFuture<Integer> count = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                count.complete(in.select());
            } catch (IOException e) {
                count.completeExceptionally(e);
            }
        });
        return count;
    }

    private static int get(CompletableFuture<Integer> count)
            throws InterruptedException, ExecutionException, TimeoutException {
        return count.get(60, TimeUnit.SECONDS);
    }

    private void readAll(SocketChannel channel, int bytes) throws IOException {
        ByteBuffer target = ByteBuffer.allocate(bytes);
        while (target.hasRemaining()) {
            channel.read(target);
        }
        selector.selectedKeys().clear();
    }

    @Test
    void bytes_wakeTheSelector_eachTime() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(client(selector, servers));
        }
        for (int i = 0; i < ROUNDS; i++) {
            CompletableFuture<Integer> count = selecting(selector);
            Stage.writeAll(servers.get(i % 3), Stage.text("x"));
            assertEquals(1, get(count));
            readAll(clients.get(i % 3), 1);
        }
        assertTrue(selector.waitsInMemory());
    }

    /** The wake-up, the bytes and the end of the selection meet in every order. */
    @Test
    void wakeUps_areNeverLost() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        SocketChannel client = client(selector, servers);
        for (int i = 0; i < ROUNDS; i++) {
            CompletableFuture<Integer> count = selecting(selector);
            if (i % 3 == 0) {
                Stage.writeAll(servers.getFirst(), Stage.text("x"));
            }
            selector.wakeup();
            if (get(count) == 0 && i % 3 == 0) {
                assertEquals(1, selector.select());
            }
            if (i % 3 == 0) {
                readAll(client, 1);
            }
        }
        assertEquals(0, selector.select(1));
    }

    @Test
    void channelOfTheJdk_movesTheWaitToItsSelector_andBack() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        SocketChannel client = client(selector, servers);
        for (int i = 0; i < 10; i++) { // a stream changes its way 16 times at most
            CompletableFuture<Integer> first = selecting(selector);
            Pipe pipe = stage.provider.openPipe();
            pipe.source().configureBlocking(false);
            SelectionKey key = pipe.source().register(selector, SelectionKey.OP_READ); // while it sleeps in memory
            Stage.writeAll(servers.getFirst(), Stage.text("x"));
            assertEquals(1, get(first));
            readAll(client, 1);
            assertEquals(0, selector.select(1));
            assertFalse(selector.waitsInMemory());
            CompletableFuture<Integer> second = selecting(selector);
            Stage.writeAll(servers.getFirst(), Stage.text("x"));
            assertEquals(1, get(second));
            readAll(client, 1);
            CompletableFuture<Integer> third = selecting(selector);
            pipe.sink().write(ByteBuffer.allocate(1));
            assertEquals(1, get(third));
            assertTrue(selector.selectedKeys().remove(key));
            pipe.source().close();
            pipe.sink().close();
            assertEquals(0, selector.select(1)); // the selector of the JDK forgets the pipe
            assertEquals(0, selector.select(1));
            assertTrue(selector.waitsInMemory());
        }
    }

    /** One of them sleeps in memory and the other one for bytes; both are notified. */
    @Test
    void channelInTwoSelectors_isReportedByBoth() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        SocketChannel client = client(selector, servers);
        Selector other = stage.provider.openSelector();
        open.add(other);
        Pipe pipe = stage.provider.openPipe();
        open.add(pipe.source());
        open.add(pipe.sink());
        pipe.source().configureBlocking(false);
        pipe.source().register(other, SelectionKey.OP_READ);
        client.register(other, SelectionKey.OP_READ);
        for (int i = 0; i < ROUNDS / 3; i++) {
            CompletableFuture<Integer> one = selecting(selector);
            CompletableFuture<Integer> two = selecting(other);
            Stage.writeAll(servers.getFirst(), Stage.text("x"));
            assertEquals(1, get(one));
            assertEquals(1, get(two));
            readAll(client, 1);
            other.selectedKeys().clear();
        }
    }

    @Test
    void manyRings_waitInTheSelectorOfTheJdk() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        List<SocketChannel> clients = new ArrayList<>();
        for (int i = 0; i <= MemoryWait.MOST_RINGS; i++) {
            clients.add(client(selector, servers));
            assertEquals(0, selector.select(1));
            assertEquals(i < MemoryWait.MOST_RINGS, selector.waitsInMemory());
        }
        CompletableFuture<Integer> count = selecting(selector);
        Stage.writeAll(servers.getFirst(), Stage.text("x")); // it has announced its sleep in memory before
        assertEquals(1, get(count));
        readAll(clients.getFirst(), 1);
        clients.getLast().close();
        CompletableFuture<Integer> again = selecting(selector);
        Stage.writeAll(servers.getFirst(), Stage.text("x"));
        assertEquals(1, get(again));
    }

    /** Both sides sleep and wake each other without a pause. */
    @Test
    void pingPongOfTwoSelectors_losesNothing() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        SocketChannel client = client(selector, servers);
        Selector other = stage.provider.openSelector();
        open.add(other);
        SocketChannel server = servers.getFirst();
        server.configureBlocking(false);
        server.register(other, SelectionKey.OP_READ);
        CompletableFuture<Integer> answers = CompletableFuture.supplyAsync(() -> echo(server, other, false));
        assertEquals(10 * ROUNDS, echo(client, selector, true));
        assertEquals(10 * ROUNDS, get(answers));
    }

    private static int echo(SocketChannel channel, Selector in, boolean begins) {
        try {
            int count = 0;
            ByteBuffer one = ByteBuffer.allocate(1);
            while (count < 10 * ROUNDS) {
                if (begins) {
                    channel.write(one.clear());
                }
                while (channel.read(one.clear()) == 0) {
                    in.select();
                    in.selectedKeys().clear();
                }
                count++;
                if (!begins) {
                    channel.write(one.clear());
                }
            }
            return count;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void endOfThePeer_andItsClose_wakeTheSelector() throws Exception {
        List<SocketChannel> servers = new ArrayList<>();
        SocketChannel client = client(selector, servers);
        CompletableFuture<Integer> count = selecting(selector);
        servers.getFirst().close();
        assertEquals(1, get(count));
        assertEquals(-1, client.read(ByteBuffer.allocate(1)));
    }

    @Test
    void interrupt_endsTheSelection() throws Exception {
        client(selector, new ArrayList<>());
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                selector.select();
                interrupted.complete(Thread.interrupted());
            } catch (IOException e) {
                interrupted.completeExceptionally(e);
            }
        });
        thread.interrupt();
        assertTrue(interrupted.get(60, TimeUnit.SECONDS));
    }
}
