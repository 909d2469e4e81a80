package io.verbena.rnic;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.notify.SerialRunner;
import io.verbena.rnic.context.DataWaits;
import io.verbena.text.AddressText;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReturnedStream;
import io.verbena.verbs.Termination;
import io.verbena.verbs.TransportType;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A connection as seen by the application. The endpoint of its queue pair changes its state; any thread reads it and
 * waits for it.
 */
public final class SoftConnection implements Connection {

    private static final long CLOSE_NS = 1_000_000_000L;

    private final SoftQueuePair queuePair;
    private final boolean accepted;
    private final WaitPoint changed;
    private final List<Listening> listeners = new ArrayList<>();
    private volatile ConnectionState state = ConnectionState.CONNECTING;
    private volatile boolean wasEstablished;
    private volatile Runnable beforeDecision = () -> {};
    private volatile Kind failureKind = Kind.FAILED;
    private volatile String reason = "";
    private volatile String ending = "";
    private volatile Optional<ReturnedStream> returned = Optional.empty();
    private volatile Optional<Termination> termination = Optional.empty();
    private volatile boolean peerExited;
    private volatile byte[] privateData = new byte[0];
    private volatile TransportType transport;
    private volatile SocketAddress localAddress = new InetSocketAddress(0);
    private volatile SocketAddress remoteAddress;

    /** A listener and its runner. Each listener has its own, so that one that blocks does not delay the others. */
    private record Listening(ConnectionListener listener, SerialRunner runner) {
        void tell(SoftConnection connection, ConnectionState state) {
            runner.add(() -> listener.onState(connection, state));
        }
    }

    /** A connection initiated by this side. */
    public SoftConnection(SoftQueuePair queuePair, SocketAddress remoteAddress) {
        this(queuePair, remoteAddress, false);
    }

    /**
     * A connection.
     *
     * @param accepted whether it was requested by a peer and is being accepted
     */
    public SoftConnection(SoftQueuePair queuePair, SocketAddress remoteAddress, boolean accepted) {
        this.accepted = accepted;
        this.queuePair = queuePair;
        this.remoteAddress = remoteAddress;
        this.changed = queuePair.rnicContext().waits().newPoint();
        this.transport = queuePair.rnicContext().limits().type();
    }

    @Override
    public QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public ConnectionState state() {
        return state;
    }

    @Override
    public TransportType transport() {
        return transport;
    }

    /** Sets what carries the connection. */
    public void transport(TransportType value) {
        transport = value;
    }

    @Override
    public SocketAddress localAddress() {
        return localAddress;
    }

    @Override
    public SocketAddress remoteAddress() {
        return remoteAddress;
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }

    @Override
    public String reason() {
        return reason;
    }

    @Override
    public Optional<Termination> termination() {
        return termination;
    }

    @Override
    public Optional<ReturnedStream> returnedStream() {
        return returned;
    }

    @Override
    public boolean peerExited() {
        return peerExited;
    }

    @Override
    public void resetIfKilled(boolean reset) {
        if (!state.ended()) {
            queuePair.endpoint().command(() -> queuePair.endpoint().resetIfKilled(this, reset));
        }
    }

    /** Whether it was requested by a peer and accepted by the application. */
    public boolean accepted() {
        return accepted;
    }

    @Override
    public void awaitEstablished(Duration timeout) throws ConnectionException {
        DataWaits waits = queuePair.rnicContext().waits();
        changed.await(() -> state != ConnectionState.CONNECTING || waits.ended(), Times.nanos(timeout));
        ConnectionState currentState = state;
        if (currentState == ConnectionState.CONNECTING) {
            throw waits.notEstablished("The connection to " + AddressText.of(remoteAddress), timeout);
        }
        // A connection that was established may have ended since: that is found by its state, and does not depend on
        // how fast
        // this thread was.
        if (currentState.ended() && currentState != ConnectionState.CLOSED && !wasEstablished) {
            throw new ConnectionException(failureKind, reason, privateData);
        }
    }

    @Override
    public boolean awaitClosed(Duration timeout) {
        DataWaits waits = queuePair.rnicContext().waits();
        changed.await(() -> state.ended() || waits.ended(), Times.nanos(timeout));
        return state.ended();
    }

    @Override
    public void disconnect() {
        if (!state.ended()) {
            queuePair.endpoint().command(() -> queuePair.endpoint().disconnect(this));
        }
    }

    @Override
    public List<ConnectionPath> paths() {
        return queuePair.endpoint().paths(this);
    }

    @Override
    public void proposeAlternatePath(AddressHandleAttributes path) {
        queuePair.endpoint().proposeAlternatePath(this, path);
    }

    @Override
    public void close() {
        disconnect();
        if (queuePair.rnicContext().await(changed, () -> state.ended(), CLOSE_NS)) {
            return;
        }
        queuePair
                .endpoint()
                .command(() -> queuePair.endpoint().abort(this, "The application closed the connection at once."));
        queuePair.rnicContext().await(changed, () -> state.ended(), CLOSE_NS);
    }

    @Override
    public void onStateChange(ConnectionListener listener) {
        synchronized (this) {
            Listening listening = new Listening(
                    listener,
                    new SerialRunner(queuePair.rnicContext().environment().listenerProcessor()));
            listeners.add(listening);
            listening.tell(this, state);
        }
    }

    // Called by the endpoint.

    /** Whether the connection is established, or was before it ended. */
    boolean wasEstablished() {
        return wasEstablished;
    }

    /** Sets a step to run before the connection is shown as established or failed. The step must be idempotent. */
    public void beforeDecision(Runnable step) {
        beforeDecision = step;
    }

    /** Records how the protocol ended the connection. */
    public void termination(Termination recorded) {
        termination = Optional.of(recorded);
    }

    /** Records that the connection ends because the process of the peer has ended in order. Before its work is flushed. */
    public void onPeerExited() {
        peerExited = true;
    }

    /** Records that the stream has been returned to the application. */
    public void returned(ReturnedStream stream) {
        returned = Optional.of(stream);
    }

    /** Sets the addresses. */
    public void addresses(SocketAddress local, SocketAddress remote) {
        localAddress = local;
        remoteAddress = remote;
    }

    /** Sets the private data of the peer. */
    public void privateData(byte[] data) {
        privateData = data;
    }

    /** Sets the kind of the set-up failure that is about to be reported. */
    public void failureKind(Kind kind) {
        failureKind = kind;
    }

    /** The reason why it ended or is ending. */
    String endReason() {
        String why = ending;
        return reason.isEmpty() ? why : reason;
    }

    /**
     * Reports a new state. A final state does not change again.
     *
     * @param sentence the reason for the end, or empty
     */
    public void moved(ConnectionState newState, String sentence) {
        if (newState != ConnectionState.CONNECTING && newState != ConnectionState.REJECTED) {
            beforeDecision.run();
        }
        synchronized (this) {
            if (state.ended()) {
                return;
            }
            if (newState == ConnectionState.CLOSING && !sentence.isEmpty()) {
                ending = sentence;
            }
            if (newState == state) {
                return;
            }
            reason = sentence;
            wasEstablished |= newState == ConnectionState.ESTABLISHED;
            state = newState;
            for (Listening each : listeners) {
                each.tell(this, newState);
            }
        }
        changed.signal();
        queuePair.rnicContext().changed();
    }

    @Override
    public String toString() {
        return "connection of " + queuePair + " to " + AddressText.of(remoteAddress) + ", " + state
                + (reason.isEmpty() ? "" : ": " + reason);
    }
}
