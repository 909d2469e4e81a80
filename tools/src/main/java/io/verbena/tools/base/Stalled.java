package io.verbena.tools.base;

/** The peer did nothing for too long. */
public final class Stalled extends Failure {

    private static final long serialVersionUID = 1L;

    /** A failure with its sentence. */
    public Stalled(String sentence) {
        super(sentence);
    }
}
