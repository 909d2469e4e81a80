package io.verbena.sockets.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;

import io.verbena.sockets.nio.select.RankedLock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Two threads call methods of one channel at the same time, each method beside each other one in a random order, in each state and over each
 * carrier. A lock that is taken out of order fails an assertion, whether or not the other thread is in the way; a deadlock that
 * remains is found by the JVM.
 */
class LockOrderTest {

    private static final int ROUNDS = Integer.getInteger("verbena.lockRounds", 150);
    private static final long SEED = Long.getLong("verbena.lockSeed", 1);
    private static final InetAddress ROCE_ADDRESS = Stage.freeAddress();

    private static final Map<String, SelectorProvider> PROVIDERS = Map.of(
            "plain", provider(SocketsOptions.defaults().withProvider("iwarp")),
            "roce",
                    provider(SocketsOptions.defaults()
                            .withRdma("*")
                            .withProvider("roce")
                            .withDevice(ROCE_ADDRESS.getHostAddress())),
            "memory", provider(SocketsOptions.defaults()),
            "iwarp", provider(SocketsOptions.defaults().withRdma("*").withProvider("iwarp")));

    /** A peer becomes undecided at once, because one thread connects and accepts. */
    private static SelectorProvider provider(SocketsOptions options) {
        return VerbenaSelectorProvider.of(options.withSilence(Duration.ofMillis(2)));
    }

    /** A method of a channel, with some of what it needs. */
    private interface Method {
        Object call(SocketChannel channel, Selector selector) throws IOException;
    }

    private static final List<Method> METHODS = List.of(
            (c, _) -> c.read(ByteBuffer.allocate(9)),
            (c, _) -> c.read(new ByteBuffer[] {ByteBuffer.allocate(1), ByteBuffer.allocate(1)}),
            (c, _) -> c.write(ByteBuffer.allocate(9)),
            (c, _) -> c.write(new ByteBuffer[] {ByteBuffer.allocate(100_000), ByteBuffer.allocate(1)}),
            (c, _) -> c.shutdownInput(),
            (c, _) -> c.shutdownOutput(),
            (c, _) -> c.configureBlocking(false),
            (c, _) -> c.configureBlocking(true),
            (c, _) -> c.finishConnect(),
            (c, _) -> c.getRemoteAddress(),
            (c, _) -> c.toString(),
            (c, _) -> c.setOption(StandardSocketOptions.TCP_NODELAY, true),
            (c, _) -> c.socket().isConnected(),
            (c, _) -> c.socket().getInputStream().read(),
            (c, _) -> c.socket().getInputStream().available(),
            (c, _) -> {
                Socket socket = c.socket();
                socket.setSoTimeout(20);
                return socket.getInputStream().read(new byte[3]);
            },
            (c, _) -> {
                c.socket().getOutputStream().write(new byte[70_000]);
                return c;
            },
            (c, _) -> {
                c.socket().sendUrgentData(1);
                return c;
            },
            (c, _) -> {
                c.close();
                return c;
            },
            LockOrderTest::register,
            (_, selector) -> selector.selectNow(),
            (c, selector) -> {
                SelectionKey key = c.keyFor(selector);
                if (key != null) {
                    key.cancel();
                }
                return selector.select(1);
            },
            (_, selector) -> {
                selector.close();
                return selector;
            });

    private static Object register(SocketChannel channel, Selector selector) throws IOException {
        channel.configureBlocking(false);
        return channel.register(selector, channel.validOps());
    }

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Queue<AssertionError> broken = new ConcurrentLinkedQueue<>();

    @AfterEach
    void noLockIsTakenOutOfOrder() {
        for (AssertionError first : broken) {
            throw first;
        }
    }

    @ParameterizedTest
    @CsvSource({"plain", "iwarp", "roce", "memory"})
    void twoMethodsAtOnce_bothEnd(String carrier) throws Exception {
        SelectorProvider provider = Objects.requireNonNull(PROVIDERS.get(carrier));
        InetAddress address = carrier.equals("roce") ? ROCE_ADDRESS : InetAddress.getLoopbackAddress();
        Random random = new Random(SEED);
        for (int round = 0; round < ROUNDS; round++) {
            int one = random.nextInt(METHODS.size());
            int other = random.nextInt(METHODS.size());
            State state = State.values()[random.nextInt(State.values().length)];
            String what = carrier + " " + state + ", methods " + one + " and " + other + ", round " + round
                    + " of -Dverbena.lockSeed=" + SEED;
            Stage stage = new Stage(provider, address);
            Scene scene = state.scene(stage);
            Selector selector = stage.selector();
            together(
                    what,
                    scene,
                    () -> METHODS.get(one).call(scene.channel, selector),
                    () -> METHODS.get(other).call(scene.channel, selector));
            noLockIsTakenOutOfOrder();
            scene.close(); // only now: it would wait for locks that do not become free
            stage.close();
        }
    }

    /** What a channel is when its methods are called. */
    private enum State {
        NEW {
            @Override
            Scene scene(Stage stage) throws Exception {
                return new Scene(stage.client());
            }
        },
        CONNECTING {
            @Override
            Scene scene(Stage stage) throws Exception {
                ServerSocketChannel listener = stage.listening();
                SocketChannel client = stage.client();
                client.configureBlocking(false);
                client.connect(listener.getLocalAddress());
                return new Scene(client);
            }
        },
        CONNECTED {
            @Override
            Scene scene(Stage stage) throws Exception {
                Stage.Pair pair = connected(stage);
                return new Scene(pair.client(), pair.server());
            }
        },
        ACCEPTED {
            @Override
            Scene scene(Stage stage) throws Exception {
                Stage.Pair pair = connected(stage);
                return new Scene(pair.server(), pair.client());
            }
        },
        /** The client has gone before its request was answered, if it makes one. */
        ACCEPTED_AND_LEFT {
            @Override
            Scene scene(Stage stage) throws Exception {
                ServerSocketChannel listener = stage.listening();
                SocketChannel client = stage.client();
                client.configureBlocking(false);
                client.connect(listener.getLocalAddress());
                listener.configureBlocking(false);
                SocketChannel accepted = null;
                for (long startNs = System.nanoTime(); accepted == null && System.nanoTime() - startNs < 50_000_000; ) {
                    accepted = listener.accept();
                }
                client.close();
                return new Scene(accepted == null ? stage.client() : stage.keep(accepted));
            }
        },
        /** The client has asked for RDMA after it was accepted, and is gone. */
        ASKED_AND_LEFT {
            @Override
            Scene scene(Stage stage) throws Exception {
                ServerSocketChannel listener = stage.listening();
                try (SocketChannel client = SocketChannel.open(listener.getLocalAddress())) {
                    SocketChannel accepted = stage.keep(listener.accept());
                    client.write(ByteBuffer.wrap(request()));
                    client.setOption(StandardSocketOptions.SO_LINGER, 0);
                    return new Scene(accepted);
                }
            }
        };

        abstract Scene scene(Stage stage) throws Exception;

        /** Both sides have decided what carries them. */
        private static Stage.Pair connected(Stage stage) throws Exception {
            Stage.Pair pair = stage.pair();
            pair.client().write(Stage.text("x"));
            Stage.read(pair.server(), 1);
            return pair;
        }
    }

    /** What a client sends first. */
    private static byte[] request() throws IOException {
        SelectorProvider provider = Objects.requireNonNull(PROVIDERS.get("iwarp"));
        try (ServerSocket server = new ServerSocket();
                SocketChannel client = provider.openSocketChannel()) {
            server.bind(Stage.anyPort());
            client.configureBlocking(false);
            client.connect(server.getLocalSocketAddress());
            try (Socket peer = server.accept()) {
                byte[] bytes = new byte[1024];
                return Arrays.copyOf(bytes, peer.getInputStream().read(bytes));
            }
        }
    }

    private record Scene(SocketChannel channel, SocketChannel peer) implements AutoCloseable {

        Scene(SocketChannel channel) {
            this(channel, channel);
        }

        /** Ends what waits. */
        @Override
        public void close() throws IOException {
            peer.close();
            channel.close();
        }
    }

    private void together(String what, AutoCloseable ends, Stage.Step one, Stage.Step other) throws Exception {
        CyclicBarrier begin = new CyclicBarrier(2);
        CountDownLatch returned = new CountDownLatch(2);
        List<Thread> both = Stream.of(one, other)
                .map(step -> Thread.ofPlatform().daemon().start(() -> {
                    try {
                        begin.await(10, TimeUnit.SECONDS);
                        step.run();
                    } catch (AssertionError e) {
                        broken.add(new AssertionError(what, e));
                    } catch (Exception _) {
                        return; // closed, not connected, blocking: the table has the right ones
                    } finally {
                        returned.countDown();
                    }
                }))
                .toList();
        if (!returned.await(20, TimeUnit.MILLISECONDS)) {
            Thread closer = Thread.ofPlatform().daemon().start(() -> closeAll(ends));
            both = new ArrayList<>(both);
            both.add(closer);
        }
        for (Thread thread : both) {
            thread.join(10_000);
            if (thread.isAlive()) {
                fail(what + " do not end:\n" + dump(both));
            }
        }
    }

    private void closeAll(AutoCloseable ends) {
        try {
            ends.close();
        } catch (AssertionError e) {
            broken.add(e);
        } catch (Exception _) {
            return; // it is closed whatever the system reports
        }
    }

    private String dump(List<Thread> waiting) {
        long[] dead = threads.findDeadlockedThreads();
        String deadlocked = dead == null
                ? "no deadlock"
                : Stream.of(threads.getThreadInfo(dead, 30))
                        .map(ThreadInfo::toString)
                        .collect(Collectors.joining());
        StringBuilder stacks = new StringBuilder(deadlocked);
        for (Thread thread : waiting) {
            stacks.append('\n').append(thread);
            for (StackTraceElement frame : thread.getStackTrace()) {
                stacks.append("\n    ").append(frame);
            }
        }
        return stacks.toString();
    }

    /** A selector of the JDK takes the locks of its channels, which a thread that registers holds. */
    @Test
    void foreignChannel_registersAgainWhileSelectorForgetsOrCloses_bothEnd() throws Exception {
        SelectorProvider provider = Objects.requireNonNull(PROVIDERS.get("plain"));
        for (int round = 0; round < ROUNDS * 4; round++) {
            boolean closes = round % 2 == 0;
            Stage stage = new Stage(provider);
            Pipe pipe = provider.openPipe();
            stage.keep(pipe.sink());
            stage.keep(pipe.source()).configureBlocking(false);
            Selector selector = stage.selector();
            together(
                    "a pipe, round " + round,
                    stage,
                    () -> {
                        for (int i = 0; i < 50; i++) {
                            registerAgain(pipe, selector);
                        }
                        return pipe;
                    },
                    () -> {
                        for (int i = 0; i < 50; i++) {
                            selector.selectNow();
                        }
                        if (closes) {
                            selector.close();
                        }
                        return selector;
                    });
            stage.close();
        }
    }

    private static void registerAgain(Pipe pipe, Selector selector) throws IOException {
        try {
            pipe.source().register(selector, SelectionKey.OP_READ).cancel();
        } catch (java.nio.channels.CancelledKeyException _) {
            Thread.onSpinWait(); // the selector has not forgotten it yet
        }
    }

    @Test
    void lockOfEarlierRank_underOneOfLaterRank_isAnError() {
        RankedLock state = new RankedLock(RankedLock.Rank.STATE);
        RankedLock reading = new RankedLock(RankedLock.Rank.READING);
        state.lock();
        try {
            assertThrows(AssertionError.class, reading::lock);
            assertThrows(AssertionError.class, reading::tryLock);
            assertThrows(AssertionError.class, () -> RankedLock.allows(RankedLock.Rank.CLOSING));
        } finally {
            state.unlock();
        }
        reading.lock();
        reading.lock();
        state.lock();
        state.unlock();
        reading.unlock();
        assertEquals(1, reading.getHoldCount());
        reading.unlock();
    }
}
