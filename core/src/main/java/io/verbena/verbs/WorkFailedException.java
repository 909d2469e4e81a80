package io.verbena.verbs;

/** A work request completed with a status other than {@link CompletionStatus#SUCCESS}. */
public class WorkFailedException extends VerbsException {

    private static final long serialVersionUID = 1L;

    private final CompletionStatus status;

    /**
     * Creates the exception.
     *
     * @param sentence the reason, for people
     */
    public WorkFailedException(CompletionStatus status, String sentence) {
        super(sentence);
        this.status = status;
    }

    /** The status of the completion. */
    public CompletionStatus status() {
        return status;
    }
}
