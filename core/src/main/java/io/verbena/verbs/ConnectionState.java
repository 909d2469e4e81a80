package io.verbena.verbs;

/** States of a connection. */
public enum ConnectionState {
    /** The connection is being set up. */
    CONNECTING,
    /** Both sides may send. */
    ESTABLISHED,
    /** One side has started to close. */
    CLOSING,
    /** The connection was closed gracefully. */
    CLOSED,
    /** The peer rejected the request; {@link Connection#privateData()} holds the bytes that it sent. */
    REJECTED,
    /** The connection was ended by an error; see {@link Connection#reason()}. */
    FAILED;

    /** Whether the connection has ended: closed, rejected or failed. */
    public boolean ended() {
        return ordinal() >= CLOSED.ordinal();
    }
}
