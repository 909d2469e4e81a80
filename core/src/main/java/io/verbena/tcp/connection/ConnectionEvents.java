package io.verbena.tcp.connection;

import io.verbena.tcp.state.TcpEnd;

/** What a connection reports to its owner, after the call that caused it has been processed. */
public interface ConnectionEvents {

    /** The handshake is complete. */
    void onEstablished(TcpConnection connection);

    /** Bytes, segments or the end of the peer's bytes have arrived. */
    void onReadable();

    /** Acknowledged bytes have left the send buffer. */
    void onWritable();

    /** The connection is broken. */
    void onEnded(TcpConnection connection, TcpEnd end);
}
