package io.verbena.verbs;

/** An adapter cannot be opened or has failed. Invalid arguments cause an {@link IllegalArgumentException} instead. */
public class VerbsException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public VerbsException(String sentence) {
        super(sentence);
    }

    public VerbsException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
