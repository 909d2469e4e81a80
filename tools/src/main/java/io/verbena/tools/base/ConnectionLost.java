package io.verbena.tools.base;

/** Work failed, and the connection ended with it. The caller may know why if it started the other process. */
public final class ConnectionLost extends Failure {

    private static final long serialVersionUID = 1L;

    /** With its sentence. */
    public ConnectionLost(String sentence) {
        super(sentence);
    }
}
