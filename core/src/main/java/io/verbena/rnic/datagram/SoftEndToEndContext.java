package io.verbena.rnic.datagram;

import io.verbena.objects.Destination;
import io.verbena.objects.PeerObject;
import io.verbena.rnic.context.Closing;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.ReliableDatagramDomain;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** An end-to-end context as seen by the application. The transport changes its state; any thread waits for it. */
public abstract class SoftEndToEndContext extends PeerObject implements EndToEndContext, Destination {

    private static final long CLOSE_NS = 1_000_000_000L;

    private final SoftDatagramDomain domain;
    private final int number;
    private final Closing closing = new Closing();

    /** A context that is being set up. */
    protected SoftEndToEndContext(SoftDatagramDomain domain, int number, SocketAddress remoteAddress) {
        super(remoteAddress, domain.context().waits().newPoint());
        this.domain = domain;
        this.number = number;
    }

    // Provided by the transport.

    /** Ends the context and notifies the peer. Has no effect if it has ended. Any thread. */
    protected abstract void disconnect();

    /** Releases the number of an ended context. Any thread. */
    protected abstract void release();

    /** Reliable datagrams need an established context of the domain of the queue pair. */
    public static void checkNamed(Optional<EndToEndContext> context, Optional<ReliableDatagramDomain> domain) {
        if (!(context.orElse(null) instanceof SoftEndToEndContext named)) {
            throw new IllegalArgumentException("a request of a queue pair with service RELIABLE_DATAGRAM must name its"
                    + " destination; post a template with to(context, …)");
        }
        if (domain.isEmpty() || domain.get() != named.domain()) {
            throw new IllegalArgumentException(
                    "the end-to-end context belongs to another reliable datagram domain than the queue pair");
        }
        if (named.closed()) {
            throw new IllegalStateException("the end-to-end context is closed");
        }
        if (!named.wasEstablished()) {
            throw new IllegalStateException(
                    "the end-to-end context is not established yet; wait with awaitEstablished");
        }
    }

    // Any thread.

    @Override
    public final SoftDatagramDomain domain() {
        return domain;
    }

    @Override
    public final int number() {
        return number;
    }

    @Override
    public final boolean closed() {
        return closing.begun();
    }

    @Override
    protected final boolean rnicEnded() {
        return domain.context().waits().ended();
    }

    @Override
    protected final String title() {
        return "The context with " + peerText();
    }

    @Override
    public final void awaitEstablished(Duration timeout) throws ConnectionException {
        awaitDecision(timeout);
        if (!wasEstablished()) {
            throw failure();
        }
    }

    @Override
    public final void close() {
        closing.close(domain.context(), this::begin, this::end);
    }

    private void begin() {
        if (!domain.context().stopped()) {
            disconnect();
        }
    }

    private void end() {
        domain.context().await(changed(), () -> state().ended(), CLOSE_NS);
        release();
        domain.remove(this);
    }

    // For the transport, on the engine.

    /**
     * Reports a new state. A final state does not change again.
     *
     * @param sentence the reason for the end, or empty
     */
    protected final void moved(ConnectionState newState, String sentence) {
        if (move(newState, sentence)) {
            domain.context().changed();
        }
    }

    @Override
    public String toString() {
        return String.format("context 0x%06x with %s, %s", number, peerText(), describeState());
    }
}
