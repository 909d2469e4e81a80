package io.verbena.tools.command;

import java.time.Duration;

/** Durations in seconds, with a fraction if necessary. */
public final class Seconds {

    private static final double MOST = 1e9;

    private Seconds() {}

    /** The value of an option as a duration. */
    public static Duration of(String option, double seconds, double least) throws UsageProblem {
        if (!(seconds >= least && seconds <= MOST)) {
            throw new UsageProblem(option + " must be " + least + " seconds or more, not " + seconds);
        }
        return Duration.ofNanos(Math.round(seconds * 1e9));
    }
}
