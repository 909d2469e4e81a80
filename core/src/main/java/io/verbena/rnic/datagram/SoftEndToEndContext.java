package io.verbena.rnic.datagram;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.objects.ConnectionRules;
import io.verbena.objects.Destination;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.DataWaits;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.ReliableDatagramDomain;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** An end-to-end context as seen by the application. The transport changes its state; any thread waits for it. */
public abstract class SoftEndToEndContext implements EndToEndContext, Destination {

    private static final long CLOSE_NS = 1_000_000_000L;

    private final SoftDatagramDomain domain;
    private final int number;
    private final WaitPoint changed;
    private final Closing closing = new Closing();
    private volatile ConnectionState state = ConnectionState.CONNECTING;
    private volatile boolean established;
    private volatile Kind failureKind = Kind.FAILED;
    private volatile String reason = "";
    private volatile byte[] privateData = new byte[0];
    private volatile SocketAddress localAddress = new InetSocketAddress(0);
    private volatile SocketAddress remoteAddress;

    /** A context that is being set up. */
    protected SoftEndToEndContext(SoftDatagramDomain domain, int number, SocketAddress remoteAddress) {
        this.domain = domain;
        this.number = number;
        this.remoteAddress = remoteAddress;
        changed = domain.context().waits().newPoint();
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
    public final ConnectionState state() {
        return state;
    }

    /** Whether the context is established, or was before it ended. */
    public final boolean wasEstablished() {
        return established;
    }

    @Override
    public final boolean closed() {
        return closing.begun();
    }

    @Override
    public final SocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public final SocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public final byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public final String reason() {
        return reason;
    }

    @Override
    public final void awaitEstablished(Duration timeout) throws ConnectionException {
        DataWaits waits = domain.context().waits();
        changed.await(() -> state != ConnectionState.CONNECTING || waits.ended(), Times.nanos(timeout));
        if (state == ConnectionState.CONNECTING) {
            throw ConnectionRules.notEstablished(
                    waits.ended(), "The context with " + AddressText.of(remoteAddress), timeout);
        }
        if (!established) {
            throw new ConnectionException(failureKind, reason, privateData);
        }
    }

    @Override
    public final boolean awaitClosed(Duration timeout) {
        DataWaits waits = domain.context().waits();
        changed.await(() -> state.ended() || waits.ended(), Times.nanos(timeout));
        return state.ended();
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
        domain.context().await(changed, () -> state.ended(), CLOSE_NS);
        release();
        domain.remove(this);
    }

    // For the transport, on the engine.

    /** Sets the addresses. */
    protected final void addresses(SocketAddress local, SocketAddress remote) {
        localAddress = local;
        remoteAddress = remote;
    }

    /** Sets the private data of the peer. */
    protected final void privateData(byte[] data) {
        privateData = data;
    }

    /** Sets the kind of the set-up failure that is about to be reported. */
    protected final void failureKind(Kind kind) {
        failureKind = kind;
    }

    /**
     * Reports a new state. A final state does not change again.
     *
     * @param sentence the reason for the end, or empty
     */
    protected final void moved(ConnectionState newState, String sentence) {
        synchronized (this) {
            if (state.ended() || newState == state) {
                return;
            }
            reason = sentence;
            established |= newState == ConnectionState.ESTABLISHED;
            state = newState;
        }
        changed.signal();
        domain.context().changed();
    }

    @Override
    public String toString() {
        return String.format(
                "context 0x%06x with %s, %s%s",
                number, AddressText.of(remoteAddress), state, reason.isEmpty() ? "" : ": " + reason);
    }
}
