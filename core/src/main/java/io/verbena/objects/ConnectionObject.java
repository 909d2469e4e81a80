package io.verbena.objects;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.notify.SerialRunner;
import io.verbena.text.AddressText;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The state of a connection as the application sees it: any thread reads it, waits for it, and listens to its changes. */
public abstract class ConnectionObject implements Connection {

    private final QueuePair queuePair;
    private final WaitPoint changed;
    private final List<Listening> listeners = new ArrayList<>();
    private volatile ConnectionState state = ConnectionState.CONNECTING;
    private volatile boolean wasEstablished;
    private volatile Kind failureKind = Kind.FAILED;
    private volatile String reason = "";
    private volatile byte[] privateData = new byte[0];
    private volatile SocketAddress localAddress = new InetSocketAddress(0);
    private volatile SocketAddress remoteAddress;

    /** A listener and its runner. Each listener has its own, so that one that blocks does not delay the others. */
    private record Listening(ConnectionListener listener, SerialRunner runner) {
        void tell(Connection connection, ConnectionState state) {
            runner.add(() -> listener.onState(connection, state));
        }
    }

    /**
     * A connection that is being set up.
     *
     * @param changed where threads wait for a state
     */
    protected ConnectionObject(QueuePair queuePair, SocketAddress remoteAddress, WaitPoint changed) {
        this.queuePair = queuePair;
        this.remoteAddress = remoteAddress;
        this.changed = changed;
    }

    // Provided by the back end.

    /** Whether the RNIC has ended, so that no state changes any more. */
    protected abstract boolean rnicEnded();

    /** Runs the callbacks of a listener. */
    protected abstract SerialRunner newRunner();

    // For the back end.

    /** Where threads wait for a state. */
    protected final WaitPoint changed() {
        return changed;
    }

    /** Whether the connection is established, or was before it ended. */
    public final boolean wasEstablished() {
        return wasEstablished;
    }

    /** Sets the addresses. */
    public final void addresses(SocketAddress local, SocketAddress remote) {
        localAddress = local;
        remoteAddress = remote;
    }

    /** Sets the private data of the peer. */
    public final void privateData(byte[] data) {
        privateData = data;
    }

    /** Sets the kind of the set-up failure that is about to be reported. */
    public final void failureKind(Kind kind) {
        failureKind = kind;
    }

    /**
     * Reports a new state. A final state does not change again.
     *
     * @param sentence the reason for the end, or empty
     * @return whether the state is another one now
     */
    protected final boolean move(ConnectionState newState, String sentence) {
        boolean moved;
        synchronized (this) {
            moved = set(newState, sentence);
        }
        return signal(moved);
    }

    /** The same, if the connection is in a state now. */
    protected final boolean moveFrom(ConnectionState from, ConnectionState to) {
        boolean moved;
        synchronized (this) {
            moved = state == from && set(to, "");
        }
        return signal(moved);
    }

    /** The same for a set-up that fails. */
    protected final boolean fail(ConnectionState to, Kind kind, String sentence) {
        boolean moved;
        synchronized (this) {
            failureKind = state.ended() ? failureKind : kind;
            moved = set(to, sentence);
        }
        return signal(moved);
    }

    private boolean set(ConnectionState newState, String sentence) {
        if (newState == state || state.ended()) {
            return false;
        }
        reason = sentence;
        wasEstablished |= newState == ConnectionState.ESTABLISHED;
        state = newState;
        listeners.forEach(each -> each.tell(this, newState));
        return true;
    }

    private boolean signal(boolean moved) {
        if (moved) {
            changed.signal();
        }
        return moved;
    }

    // What the application sees.

    @Override
    public final QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public final ConnectionState state() {
        return state;
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
        changed.await(() -> state != ConnectionState.CONNECTING || rnicEnded(), Times.nanos(timeout));
        ConnectionState currentState = state;
        if (currentState == ConnectionState.CONNECTING) {
            throw ConnectionRules.notEstablished(
                    rnicEnded(), "The connection to " + AddressText.of(remoteAddress), timeout);
        }
        // One that was established may have ended since: its state shows that, and not how fast this thread was.
        if (currentState.ended() && currentState != ConnectionState.CLOSED && !wasEstablished) {
            throw new ConnectionException(failureKind, reason, privateData);
        }
    }

    @Override
    public final boolean awaitClosed(Duration timeout) {
        changed.await(() -> state.ended() || rnicEnded(), Times.nanos(timeout));
        return state.ended();
    }

    @Override
    public final void onStateChange(ConnectionListener listener) {
        Listening listening = new Listening(listener, newRunner());
        synchronized (this) {
            listeners.add(listening);
            listening.tell(this, state);
        }
    }

    @Override
    public final String toString() {
        return "connection of " + queuePair + " to " + AddressText.of(remoteAddress) + ", " + state
                + (reason.isEmpty() ? "" : ": " + reason);
    }
}
