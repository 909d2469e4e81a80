package io.verbena.tcp.connection;

import io.verbena.base.Times;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Connections by their next deadline: a binary heap in which a connection knows its position. */
final class DeadlineQueue {

    private @Nullable TcpConnection[] heap = new TcpConnection[64];
    private int count;

    /** The earliest deadline, or {@link Times#NEVER}. */
    long nextNs() {
        return count == 0 ? Times.NEVER : at(0).queuedDeadlineNs;
    }

    /** A connection whose deadline has passed, or null. It stays in the queue until {@link #update}. */
    @Nullable
    TcpConnection due(long nowNs) {
        return count > 0 && Times.due(at(0).queuedDeadlineNs, nowNs) ? at(0) : null;
    }

    private TcpConnection at(int index) {
        TcpConnection found = heap[index];
        assert found != null;
        return found;
    }

    /** Takes the deadline of a connection, which may be {@link Times#NEVER}. */
    void update(TcpConnection connection, long deadlineNs) {
        int index = connection.deadlineIndex;
        if (deadlineNs == Times.NEVER) {
            if (index >= 0) {
                remove(index);
            }
            return;
        }
        if (index >= 0 && connection.queuedDeadlineNs == deadlineNs) {
            return;
        }
        connection.queuedDeadlineNs = deadlineNs;
        if (index < 0) {
            if (count == heap.length) {
                heap = Arrays.copyOf(heap, 2 * count);
            }
            index = count++;
            put(index, connection);
        }
        up(index);
        down(connection.deadlineIndex);
    }

    private void remove(int index) {
        at(index).deadlineIndex = -1;
        count--;
        TcpConnection last = at(count);
        heap[count] = null;
        if (index < count) {
            put(index, last);
            up(index);
            down(last.deadlineIndex);
        }
    }

    private void put(int index, TcpConnection connection) {
        heap[index] = connection;
        connection.deadlineIndex = index;
    }

    private boolean earlier(TcpConnection a, TcpConnection b) {
        return a.queuedDeadlineNs - b.queuedDeadlineNs < 0;
    }

    private void up(int from) {
        int index = from;
        TcpConnection moved = at(index);
        while (index > 0 && earlier(moved, at((index - 1) / 2))) {
            put(index, at((index - 1) / 2));
            index = (index - 1) / 2;
        }
        put(index, moved);
    }

    private void down(int from) {
        int index = from;
        TcpConnection moved = at(index);
        while (2 * index + 1 < count) {
            int child = 2 * index + 1;
            if (child + 1 < count && earlier(at(child + 1), at(child))) {
                child++;
            }
            if (!earlier(at(child), moved)) {
                break;
            }
            put(index, at(child));
            index = child;
        }
        put(index, moved);
    }
}
