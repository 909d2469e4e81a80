package io.verbena.tools.base;

/** No connection to a peer: another address of its name may lead to it. */
public final class NotReached extends Failure {

    private static final long serialVersionUID = 1L;

    /** With a sentence that says what happened and what to do. */
    public NotReached(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
