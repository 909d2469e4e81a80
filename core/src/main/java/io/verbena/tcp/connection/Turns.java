package io.verbena.tcp.connection;

import io.verbena.base.Times;
import io.verbena.tcp.state.TcpState;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Which connection of a host is served next: the turns to transmit, the deadlines, and the order in which connections entered
 * TIME-WAIT. A connection has at most one place in each; a connection that has left has none.
 */
public final class Turns {

    /** Most connections in TIME-WAIT; the oldest one ends early. */
    private static final int MOST_WAITING = 4096;

    private final DeadlineQueue deadlines = new DeadlineQueue();
    private final Deque<TcpConnection> outputs = new ArrayDeque<>();
    private final Deque<TcpConnection> waiting = new ArrayDeque<>();

    /** A connection has changed: it may transmit, and its deadline may be another one. */
    public void changed(TcpConnection connection) {
        deadlineMoved(connection);
        if (!connection.inOutputQueue) {
            connection.inOutputQueue = true;
            outputs.addLast(connection);
        }
        if (connection.state() == TcpState.TIME_WAIT && !connection.counted) {
            connection.counted = true;
            waiting.addLast(connection);
        }
    }

    public void deadlineMoved(TcpConnection connection) {
        deadlines.update(connection, connection.closed() ? Times.NEVER : connection.nextDeadlineNs());
    }

    /** The connection that has been in TIME-WAIT for the longest time, if there are too many; otherwise null. */
    @Nullable
    public TcpConnection excessive() {
        return waiting.size() > MOST_WAITING ? waiting.peekFirst() : null;
    }

    /** Takes the connection whose turn to transmit it is; null if none has output. */
    @Nullable
    public TcpConnection takeOutput() {
        TcpConnection next = outputs.pollFirst();
        if (next != null) {
            next.inOutputQueue = false;
        }
        return next;
    }

    public boolean anyOutput() {
        return !outputs.isEmpty();
    }

    /** A connection whose deadline has passed; null if there is none. */
    @Nullable
    public TcpConnection due(long nowNs) {
        return deadlines.due(nowNs);
    }

    public long nextDeadlineNs() {
        return deadlines.nextNs();
    }

    /** A connection has ended. A turn to transmit that it still has finds nothing to send. */
    public void leave(TcpConnection connection) {
        deadlines.update(connection, Times.NEVER);
        if (connection.counted) {
            connection.counted = false;
            waiting.remove(connection);
        }
    }
}
