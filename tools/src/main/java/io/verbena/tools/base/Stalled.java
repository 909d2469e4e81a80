package io.verbena.tools.base;

import io.verbena.tools.text.Figures;
import java.time.Duration;

/** The peer did nothing within the time-out. */
public final class Stalled extends Failure {

    private static final long serialVersionUID = 1L;

    /**
     * @param what what this side waited for
     */
    public Stalled(Duration silence, String what) {
        super("The peer did nothing for " + Figures.seconds(silence) + " while this side waited for " + what
                + "; it may be stalled or gone (--timeout sets how long to wait)");
    }
}
