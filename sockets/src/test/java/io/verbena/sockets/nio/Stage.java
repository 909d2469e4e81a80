package io.verbena.sockets.nio;

import io.verbena.sockets.stream.EngineDriver;
import io.verbena.verbs.InfinibandOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** A provider, and what a case has opened with it. */
final class Stage implements AutoCloseable {

    /** What a case tries; the outcome is compared between providers. */
    interface Body {
        Object run(Stage stage) throws Exception;
    }

    /** A step whose exception is an outcome. */
    interface Step {
        Object run() throws Exception;
    }

    final SelectorProvider provider;
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    private final InetAddress address;
    private volatile Optional<Throwable> thrown = Optional.empty();

    Stage(SelectorProvider provider) {
        this(provider, InetAddress.getLoopbackAddress());
    }

    /** With servers and clients at this address. */
    Stage(SelectorProvider provider, InetAddress address) {
        this.provider = provider;
        this.address = address;
    }

    /** An address of the loopback network at which no RNIC has the UDP port. */
    static InetAddress freeAddress() {
        while (true) {
            int random = ThreadLocalRandom.current().nextInt();
            try {
                InetAddress any = InetAddress.getByAddress(
                        new byte[] {127, (byte) (random >> 16 | 0x40), (byte) (random >> 8), (byte) (random | 1)});
                new DatagramSocket(new InetSocketAddress(any, InfinibandOptions.ROCE_UDP_PORT)).close();
                return any;
            } catch (IOException _) {
                continue; // it is in use
            }
        }
    }

    static String outcome(Stage stage, Body body) {
        return tryOut(() -> {
            try {
                return body.run(stage);
            } catch (Throwable e) {
                stage.thrown = Optional.of(e);
                throw e;
            }
        });
    }

    /** The stack of the exception that the case has thrown, for the message of a test that expected none. */
    String thrown() {
        StringWriter text = new StringWriter();
        thrown.ifPresent(it -> it.printStackTrace(new PrintWriter(text)));
        return "\n" + text;
    }

    /** The result as a text, or the type of the exception, with the message where programs depend on it. */
    static String tryOut(Step step) {
        try {
            return String.valueOf(step.run());
        } catch (ExecutionException e) {
            return name(java.util.Objects.requireNonNull(e.getCause()));
        } catch (Throwable e) {
            return name(e);
        }
    }

    private static String name(Throwable e) {
        boolean known = e.getMessage() != null
                && ("Connection reset".equals(e.getMessage()) || "Read timed out".equals(e.getMessage()));
        return e.getClass().getName() + (known ? ": " + e.getMessage() : "");
    }

    <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Any port of the address of this stage. */
    InetSocketAddress here() {
        return new InetSocketAddress(address, 0);
    }

    SocketChannel client() throws IOException {
        return keep(provider.openSocketChannel());
    }

    ServerSocketChannel server() throws IOException {
        return keep(provider.openServerSocketChannel());
    }

    ServerSocketChannel listening() throws IOException {
        ServerSocketChannel server = server();
        server.bind(here());
        return server;
    }

    Selector selector() throws IOException {
        return keep(provider.openSelector());
    }

    <T> Future<T> submit(Callable<T> work) {
        return threads.submit(work);
    }

    /** Two connected channels. */
    record Pair(SocketChannel client, SocketChannel server, ServerSocketChannel listener) {}

    Pair pair() throws IOException {
        ServerSocketChannel listener = listening();
        SocketChannel client = client();
        client.connect(listener.getLocalAddress());
        return new Pair(client, keep(listener.accept()), listener);
    }

    static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
    }

    /** Reads a number of bytes, or to the end; blocking or not. */
    static String read(SocketChannel from, int bytes) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(bytes);
        int got = 0;
        while (into.hasRemaining() && got >= 0) {
            got = from.read(into);
            if (got == 0) {
                Thread.onSpinWait();
            }
        }
        return new String(into.array(), 0, into.position(), java.nio.charset.StandardCharsets.US_ASCII)
                + (got < 0 ? "|end" : "");
    }

    static void writeAll(SocketChannel to, ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            to.write(bytes);
        }
    }

    /** Selects until the key has one of these operations ready, at most 10 s; returns what is ready. */
    static int await(Selector selector, SelectionKey key, int ops) throws IOException {
        long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < 10_000_000_000L) {
            selector.select(100);
            selector.selectedKeys().clear();
            if ((key.readyOps() & ops) != 0) {
                return key.readyOps() & ops;
            }
            key.interestOps(key.interestOps());
        }
        return 0;
    }

    /** Runs a step in a thread that is blocked when {@code then} runs; returns the outcome of the step. */
    String blocked(Step step, ThrowingRunnable then) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        String[] result = new String[1];
        Thread thread = Thread.ofPlatform().start(() -> {
            begun.countDown();
            result[0] = tryOut(step) + (Thread.currentThread().isInterrupted() ? ", interrupted" : "");
        });
        begun.await(10, TimeUnit.SECONDS);
        awaitBlocked(thread);
        then.run(thread);
        thread.join(10_000);
        return thread.isAlive() ? "still blocked" : result[0];
    }

    interface ThrowingRunnable {
        void run(Thread blocked) throws Exception;
    }

    /** A thread in a system call is RUNNABLE; so the stack says whether it waits inside a channel. */
    static void awaitBlocked(Thread thread) {
        long startNs = System.nanoTime();
        int seen = 0;
        while (seen < 20 && thread.isAlive() && System.nanoTime() - startNs < 5_000_000_000L) {
            StackTraceElement[] stack = thread.getStackTrace();
            String top = stack.length > 0 && stack[0].isNativeMethod() ? stack[0].getMethodName() : "";
            boolean waits = switch (top) {
                case "park",
                        "poll",
                        "wait",
                        "wait0",
                        "accept",
                        "read0",
                        "readv0",
                        "write0",
                        "writev0",
                        "transferTo0",
                        "epollWait",
                        "connect0" -> true;
                default -> drivesEngine(stack);
            };
            seen = waits ? seen + 1 : 0;
            Thread.yield();
        }
    }

    private static boolean drivesEngine(StackTraceElement[] stack) {
        return Arrays.stream(stack)
                .anyMatch(frame -> frame.getMethodName().equals("futexWait") // of rings in the shared memory
                        || frame.getClassName().equals(EngineDriver.class.getName())
                                && frame.getMethodName().equals("pause"));
    }

    static SocketTransport transport(Channel channel) {
        return VerbenaSelectorProvider.transport(channel);
    }

    /** An address at which nothing listens. */
    SocketAddress nobody() throws IOException {
        try (ServerSocketChannel server = provider.openServerSocketChannel()) {
            server.bind(here());
            return server.getLocalAddress();
        }
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        threads.shutdownNow();
    }
}
