package io.verbena.tools.base;

/** A command failed: one sentence for people, exit code 1. */
public class Failure extends Exception {

    private static final long serialVersionUID = 1L;

    /** With a sentence that says what happened and what to do. */
    public Failure(String sentence) {
        super(sentence);
    }

    /** The same for a failure that another one caused. */
    public Failure(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
