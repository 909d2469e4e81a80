package io.verbena.files;

/** Work failed, and the connection ended with it. A copy connects again. */
final class ConnectionLost extends FileServiceException {

    private static final long serialVersionUID = 1L;

    ConnectionLost(String sentence) {
        super(sentence);
    }
}
