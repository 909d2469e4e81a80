package io.verbena.tools.base;

/** Work failed and with it the connection. Who knows the other process may know why. */
public final class ConnectionLost extends Failure {

    private static final long serialVersionUID = 1L;

    /** A failure with its sentence. */
    public ConnectionLost(String sentence) {
        super(sentence);
    }
}
