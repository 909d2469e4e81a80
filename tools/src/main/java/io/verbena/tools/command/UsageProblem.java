package io.verbena.tools.command;

/** Options that contradict each other or are out of range: one sentence for people, exit code 2. */
public final class UsageProblem extends Exception {

    private static final long serialVersionUID = 1L;

    /** With a sentence that names the option, its value and what to do. */
    public UsageProblem(String sentence) {
        super(sentence);
    }

    /** Throws one with this sentence unless the condition is true. */
    public static void check(boolean condition, String sentence) throws UsageProblem {
        if (!condition) {
            throw new UsageProblem(sentence);
        }
    }
}
