package io.verbena.outcome;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What a case runs in: two RNICs of a provider, and one side on each, whose queue pairs are not connected at first. */
final class Scene implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** A call that may fail. */
    interface Attempt {
        void run() throws Exception;
    }

    /** A call that returns something. */
    interface Question {
        Object ask() throws Exception;
    }

    final Ground provider;
    final Side a;
    final Side b;
    private Optional<Connection> fromA = Optional.empty();
    private Optional<Connection> fromB = Optional.empty();
    private final List<AutoCloseable> opened = new ArrayList<>();

    Scene(Ground provider, Rnic near, Rnic far) {
        this.provider = provider;
        a = new Side(near);
        b = new Side(far);
    }

    /** An RNIC that the scene closes. */
    Rnic open() {
        return closing(provider.open());
    }

    <T extends AutoCloseable> T closing(T object) {
        opened.add(object);
        return object;
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** The address of the RNIC of a side. Each RNIC over RoCE has one of its own: the first one that no other program of the machine has. */
    InetAddress address(Side side) {
        try (Listener listener = side.rnic.listen(new InetSocketAddress(provider.address(), 0))) {
            return ((InetSocketAddress) listener.localAddress()).getAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    Listener listen() throws IOException {
        return closing(b.rnic.listen(new InetSocketAddress(provider.address(), 0)));
    }

    /** A request of A that waits for the decision of B. */
    ConnectionRequest request(ConnectionOptions options) throws IOException {
        Listener listener = listen();
        fromA = Optional.of(a.rnic.startConnect(a.qp, listener.localAddress(), options));
        return listener.nextRequest(PATIENCE).orElseThrow();
    }

    Scene connect() throws IOException {
        return connect(ConnectionOptions.defaults());
    }

    /** Connects the queue pairs of both sides. */
    Scene connect(ConnectionOptions asked) throws IOException {
        ConnectionOptions options = provider.connecting(asked);
        ConnectionRequest request = request(options);
        fromB = Optional.of(request.startAccept(b.qp, options.withPrivateData(new byte[0])));
        fromA().awaitEstablished(PATIENCE);
        fromB().awaitEstablished(PATIENCE);
        return this;
    }

    /** The connection that A has started. */
    Connection fromA() {
        return fromA.orElseThrow();
    }

    /** The connection that B has accepted. */
    Connection fromB() {
        return fromB.orElseThrow();
    }

    /** States of both connections after they have ended. */
    String ends() {
        fromA().awaitClosed(PATIENCE);
        fromB().awaitClosed(PATIENCE);
        return fromA().state() + " and " + fromB().state();
    }

    /** How a call ends: {@code done}, or the type of its exception. */
    static String attempt(Attempt call) {
        return answer(() -> {
            call.run();
            return "done";
        });
    }

    /** What a call returns, or the type of its exception. */
    static String answer(Question call) {
        try {
            return String.valueOf(call.ask());
        } catch (ConnectionException e) {
            return "ConnectionException " + e.kind();
        } catch (Exception e) {
            return type(e);
        }
    }

    /** The type that the API documents: subclasses that Java has for the same do not count. */
    private static String type(Exception e) {
        return e instanceof IOException ? "IOException" : e.getClass().getSimpleName();
    }

    /** Whether a side reports an event of this type. */
    String event(Side side, AsyncEventType type) {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - endNs < 0) {
            for (AsyncEvent each : side.rnic.pollAsyncEvents(Duration.ofMillis(100))) {
                if (each.type() == type) {
                    return type.toString();
                }
            }
        }
        return "no " + type;
    }

    /** Waits until a condition holds, which the RNICs make true. */
    String becomes(Supplier<Boolean> condition) throws InterruptedException {
        long endNs = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.get() && System.nanoTime() - endNs < 0) {
            a.rnic.progress();
            b.rnic.progress();
            Thread.onSpinWait();
        }
        return condition.get() ? "yes" : "no";
    }

    @Override
    public void close() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
        a.close();
        b.close();
    }
}
