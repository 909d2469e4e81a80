package io.verbena.files;

/** The server answered with a problem, so a retry would fail too. */
final class ServerRefuses extends FileServiceException {

    private static final long serialVersionUID = 1L;

    ServerRefuses(String sentence) {
        super(PeerText.shown(sentence));
    }
}
