package io.verbena.tools;

/** Options that do not go together or are out of range: one sentence for people, exit code 2. */
public final class UsageProblem extends Exception {

    private static final long serialVersionUID = 1L;

    /** A problem with its sentence. */
    public UsageProblem(String sentence) {
        super(sentence);
    }
}
