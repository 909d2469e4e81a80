package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.PeerText;

/** The server answered with a problem: trying the same again is of no use. */
final class ServerRefuses extends Failure {

    private static final long serialVersionUID = 1L;

    ServerRefuses(String sentence) {
        super(PeerText.shown(sentence));
    }
}
