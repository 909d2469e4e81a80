package io.verbena.objects;

import io.verbena.base.WaitPoint;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The connection of a queue pair as the application sees it: any thread reads its state, waits for it, and listens to
 * its changes.
 */
public abstract class ConnectionObject extends PeerObject implements Connection {

    private final QueuePair queuePair;

    /** Guarded by the monitor. */
    private final List<Listening> listeners = new ArrayList<>();

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
        super(remoteAddress, changed);
        this.queuePair = queuePair;
    }

    // Provided by the back end.

    /** Runs the callbacks of a listener. */
    protected abstract SerialRunner newRunner();

    @Override
    protected final String title() {
        return "The connection to " + peerText();
    }

    @Override
    protected final void onMoved(ConnectionState newState) {
        listeners.forEach(each -> each.tell(this, newState));
    }

    // What the application sees.

    @Override
    public final QueuePair queuePair() {
        return queuePair;
    }

    @Override
    public final void awaitEstablished(Duration timeout) throws ConnectionException {
        ConnectionState decided = awaitDecision(timeout);
        // One that was established may have ended since: its state shows that, and not how fast this thread was.
        if (decided.ended() && decided != ConnectionState.CLOSED && !wasEstablished()) {
            throw failure();
        }
    }

    @Override
    public final void onStateChange(ConnectionListener listener) {
        Listening listening = new Listening(listener, newRunner());
        synchronized (this) {
            listeners.add(listening);
            listening.tell(this, state());
        }
    }

    @Override
    public final String toString() {
        return "connection of " + queuePair + " to " + peerText() + ", " + describeState();
    }
}
