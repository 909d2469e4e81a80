package io.verbena.tcp;

/** What has happened to a connection and its owner has not been told yet, so that the owner may call anything when it is told. */
final class PendingEvents {

    private final ConnectionEvents events;
    private boolean established;
    private boolean readable;
    private boolean writable;
    private boolean ended;

    PendingEvents(ConnectionEvents events) {
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
