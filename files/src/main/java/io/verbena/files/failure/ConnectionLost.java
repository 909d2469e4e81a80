package io.verbena.files.failure;

/** Work failed, and the connection ended with it. A copy connects again. */
public final class ConnectionLost extends FileServiceException {

    private static final long serialVersionUID = 1L;

    public ConnectionLost(String sentence) {
        super(sentence);
    }
}
