package io.verbena.tools.base;

/** A command could not do what was asked: one sentence for people, exit code 1. */
public class Failure extends Exception {

    private static final long serialVersionUID = 1L;

    /** A failure with its sentence. */
    public Failure(String sentence) {
        super(sentence);
    }

    /** A failure that something else caused. */
    public Failure(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
