package io.verbena.tools.perftest;

import io.verbena.base.Times;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The two connections of a test that uses rdma_cm (-R of perftest): the first one carries the exchange, the second one is measured.
 * The server listens at one port for both; a program of perftest closes its listener in between and opens it again.
 */
final class ManagedPair implements AutoCloseable {

    private static final Duration SLICE = Duration.ofMillis(100);
    private static final Duration SERVER_FIRST = Duration.ofMillis(500);
    private static final Duration GOODBYE = Duration.ofSeconds(2);

    /** The second connection is tried as often as the programs do. */
    private static final int ATTEMPTS = 10;

    private final Rnic rnic;
    private final InetSocketAddress server;
    private final Optional<Listener> listener;
    private final PerftestSettings settings;
    private final StopSignal stop;
    private final MessageChannel channel;
    private final List<Connection> connections = new ArrayList<>();

    private ManagedPair(
            Rnic rnic,
            InetSocketAddress server,
            Optional<Listener> listener,
            PerftestSettings settings,
            StopSignal stop) {
        this.rnic = rnic;
        this.server = server;
        this.listener = listener;
        this.settings = settings;
        this.stop = stop;
        channel = new MessageChannel(rnic, listener.isEmpty(), settings.timeout(), stop);
    }

    /** Connects to a server. */
    static ManagedPair connect(Rnic rnic, InetSocketAddress server, PerftestSettings settings, StopSignal stop)
            throws ConnectionException {
        ManagedPair pair = new ManagedPair(rnic, server, Optional.empty(), settings, stop);
        pair.connections.add(rnic.connect(pair.channel.queuePair(), server, pair.options()));
        return pair;
    }

    /**
     * Listens, and waits for a client.
     *
     * @param ready receives the local address once a client can connect
     * @throws StopSignal.Stopped if the user requested the end
     */
    static ManagedPair accept(
            Rnic rnic,
            InetSocketAddress local,
            Consumer<InetSocketAddress> ready,
            PerftestSettings settings,
            StopSignal stop)
            throws IOException {
        Listener listener = rnic.listen(local);
        ManagedPair pair = new ManagedPair(rnic, local, Optional.of(listener), settings, stop);
        ready.accept((InetSocketAddress) listener.localAddress());
        Optional<ConnectionRequest> request = Optional.empty();
        while (request.isEmpty()) {
            stop.check();
            request = listener.nextRequest(SLICE);
        }
        pair.connections.add(request.get().accept(pair.channel.queuePair(), pair.options()));
        return pair;
    }

    PerftestChannel channel() {
        return channel;
    }

    /** Connects the queue pair that is measured. */
    void connect(PerftestEnd end) throws IOException, Failure {
        connections.add(listener.isPresent() ? accept(listener.get(), end.queuePair()) : connectAgain(end));
    }

    private Connection accept(Listener listening, QueuePair queuePair) throws IOException, Failure {
        long startNs = System.nanoTime();
        while (true) {
            stop.check();
            Optional<ConnectionRequest> request = listening.nextRequest(SLICE);
            if (request.isPresent()) {
                return request.get().accept(queuePair, options());
            }
            if (System.nanoTime() - startNs > Times.nanos(settings.timeout())) {
                throw new Failure("The client did not open its second connection within "
                        + settings.timeout().toSeconds()
                        + " s; it may have another operation or service (--timeout sets how long to wait)");
            }
        }
    }

    private Connection connectAgain(PerftestEnd end) throws IOException, Failure {
        QueuePair queuePair = end.queuePair();
        for (int attempt = 1; ; attempt++) {
            try {
                return rnic.connect(queuePair, server, options());
            } catch (ConnectionException e) {
                if (attempt == ATTEMPTS || e.kind() == ConnectionException.Kind.TIMED_OUT) {
                    throw e;
                }
            }
            // The server may not listen again yet. The wait keeps an INLINE RNIC going.
            end.pause(SLICE);
            queuePair = end.replaceQueuePair();
        }
    }

    private ConnectionOptions options() {
        return ConnectionOptions.defaults().withTimeout(settings.timeout());
    }

    @Override
    public void close() {
        listener.ifPresent(Listener::close);
        if (listener.isEmpty()) {
            // The server ends first: over iWARP a close would flush its last Send if that has left but is not complete
            // yet.
            connections.forEach(connection -> connection.awaitClosed(SERVER_FIRST));
        }
        connections.forEach(Connection::disconnect);
        connections.forEach(connection -> connection.awaitClosed(GOODBYE));
    }
}
