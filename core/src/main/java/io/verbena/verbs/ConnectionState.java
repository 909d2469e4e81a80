package io.verbena.verbs;

/** Life of a connection. */
public enum ConnectionState {
    /** Set-up is under way. */
    CONNECTING,
    /** Both sides may send. */
    ESTABLISHED,
    /** One side has asked to close. */
    CLOSING,
    /** Ended in good order. */
    CLOSED,
    /** The peer turned the request away; {@link Connection#privateData()} may hold its word. */
    REJECTED,
    /** Ended by an error; {@link Connection#reason()} says which. */
    FAILED;

    /** Whether it is over. */
    public boolean ended() {
        return ordinal() >= CLOSED.ordinal();
    }
}
