package io.verbena.tools.files;

import io.verbena.tools.base.Failure;

/** The server answered with a problem: trying the same again is of no use. */
final class ServerRefuses extends Failure {

    private static final long serialVersionUID = 1L;

    ServerRefuses(String sentence) {
        super(sentence);
    }
}
