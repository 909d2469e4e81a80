package io.verbena.objects;

import io.verbena.base.Times;
import io.verbena.base.WaitPoint;
import io.verbena.text.AddressText;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionState;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;

/**
 * The state of what connects this RNIC with a peer, as the application sees it: any thread reads it and waits for it.
 */
public abstract class PeerObject {

    private final WaitPoint changed;
    private volatile ConnectionState state = ConnectionState.CONNECTING;
    private volatile boolean wasEstablished;
    private volatile Kind failureKind = Kind.FAILED;
    private volatile String reason = "";
    private volatile byte[] privateData = new byte[0];
    private volatile SocketAddress localAddress = new InetSocketAddress(0);
    private volatile SocketAddress remoteAddress;

    /**
     * An object that is being set up.
     *
     * @param changed where threads wait for a state
     */
    protected PeerObject(SocketAddress remoteAddress, WaitPoint changed) {
        this.remoteAddress = remoteAddress;
        this.changed = changed;
    }

    // Provided by the back end.

    /** Whether the RNIC has ended, so that no state changes any more. */
    protected abstract boolean rnicEnded();

    /** What it is, for the sentence of a failure: "The connection to 192.0.2.1:4791". */
    protected abstract String title();

    /** The state has changed: another one follows only after this. Called with the monitor of this object. */
    protected void onMoved(ConnectionState newState) {}

    // For the back end.

    /** Where threads wait for a state. */
    protected final WaitPoint changed() {
        return changed;
    }

    /** Whether it is established, or was before it ended. */
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

    /** The same, if it is in a state now. */
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
        onMoved(newState);
        return true;
    }

    private boolean signal(boolean moved) {
        if (moved) {
            changed.signal();
        }
        return moved;
    }

    /** Waits until the set-up has ended. Returns the state. */
    protected final ConnectionState awaitDecision(Duration timeout) throws ConnectionException {
        changed.await(() -> state != ConnectionState.CONNECTING || rnicEnded(), Times.nanos(timeout));
        ConnectionState decided = state;
        if (decided == ConnectionState.CONNECTING) {
            throw ConnectionRules.notEstablished(rnicEnded(), title(), timeout);
        }
        return decided;
    }

    /** Why the set-up has failed. */
    protected final ConnectionException failure() {
        return new ConnectionException(failureKind, reason, privateData);
    }

    // What the application sees.

    public final ConnectionState state() {
        return state;
    }

    public final SocketAddress localAddress() {
        return localAddress;
    }

    public final SocketAddress remoteAddress() {
        return remoteAddress;
    }

    public final byte[] privateData() {
        return privateData.clone();
    }

    public final String reason() {
        return reason;
    }

    /** Waits for the end. Returns false if the timeout expired, or the RNIC has ended before. */
    public final boolean awaitClosed(Duration timeout) {
        changed.await(() -> state.ended() || rnicEnded(), Times.nanos(timeout));
        return state.ended();
    }

    /** The state, and the reason if there is one. */
    protected final String describeState() {
        return state + (reason.isEmpty() ? "" : ": " + reason);
    }

    /** The address of the peer, for people. */
    protected final String peerText() {
        return AddressText.of(remoteAddress);
    }
}
