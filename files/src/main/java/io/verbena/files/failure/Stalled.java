package io.verbena.files.failure;

import java.time.Duration;

/** The peer did nothing within the time-out. A copy connects again. */
public final class Stalled extends FileServiceException {

    private static final long serialVersionUID = 1L;

    /** "WHO did nothing for 10 s REST". */
    public Stalled(String who, Duration silence, String rest) {
        super(who + " did nothing for " + seconds(silence) + " " + rest);
    }

    /** Without needless digits: {@code 10 s}, {@code 0.5 s}. */
    private static String seconds(Duration span) {
        double seconds = span.getSeconds() + span.getNano() / 1e9;
        return (seconds == Math.rint(seconds) ? String.valueOf((long) seconds) : String.valueOf(seconds)) + " s";
    }
}
