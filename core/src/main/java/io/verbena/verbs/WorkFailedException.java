package io.verbena.verbs;

/** Work completed with another status than {@link CompletionStatus#SUCCESS}. */
public class WorkFailedException extends VerbsException {

    private static final long serialVersionUID = 1L;

    private final CompletionStatus status;

    /**
     * A failure.
     *
     * @param sentence for people
     */
    public WorkFailedException(CompletionStatus status, String sentence) {
        super(sentence);
        this.status = status;
    }

    /** How the work ended. */
    public CompletionStatus status() {
        return status;
    }
}
