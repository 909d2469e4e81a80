package io.verbena.files.failure;

import io.verbena.text.PeerText;

/** The server answered with a problem, so a retry would fail too. */
public final class ServerRefuses extends FileServiceException {

    private static final long serialVersionUID = 1L;

    public ServerRefuses(String sentence) {
        super(PeerText.shown(sentence));
    }
}
