package io.verbena.tcp.connection;

import io.verbena.tcp.state.TcpEnd;

/** Events of a connection that are not reported yet. They are reported after a segment was processed, so that the owner may call anything. */
final class UnreportedEvents {

    private final ConnectionEvents events;
    private boolean established;
    private boolean readable;
    private boolean writable;
    private boolean ended;

    UnreportedEvents(ConnectionEvents events) {
        this.events = events;
    }

    void established() {
        established = true;
    }

    void readable() {
        readable = true;
    }

    void writable() {
        writable = true;
    }

    void ended() {
        ended = true;
    }

    /** Reports everything. */
    void report(TcpConnection connection) {
        if (established) {
            established = false;
            events.onEstablished(connection);
        }
        if (writable) {
            writable = false;
            events.onWritable();
        }
        if (readable) {
            readable = false;
            events.onReadable();
        }
        if (ended) {
            ended = false;
            TcpEnd end = connection.end();
            events.onEnded(connection, end == null ? TcpEnd.LOCAL : end);
        }
    }
}
