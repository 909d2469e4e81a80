package io.verbena.examples;

/** The programs check their own results. */
final class Check {

    private Check() {}

    /** Ends the program with a sentence unless a condition holds. */
    static void that(boolean holds, String otherwise) {
        if (!holds) {
            throw new IllegalStateException("This should not happen: " + otherwise);
        }
    }
}
