package io.verbena.tools.base;

/** The peer did nothing within the time-out. */
public final class Stalled extends Failure {

    private static final long serialVersionUID = 1L;

    /** With its sentence. */
    public Stalled(String sentence) {
        super(sentence);
    }
}
