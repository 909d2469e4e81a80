package io.verbena.files;

/**
 * Counts of what a server did.
 *
 * @param connections connections accepted
 * @param openedForReading files that clients opened to fetch them
 * @param openedForWriting files that clients opened to store into them
 * @param stored stores that were committed
 * @param problems requests that were answered with a problem
 * @param connectionsFailed connections that ended with an error
 * @param turnedAway connection requests that were rejected
 * @param displaced connections that were closed in favour of a client of another origin
 * @param linesLeftOut lines that the rate limit kept out of the log
 */
public record ServeFigures(
        long connections,
        long openedForReading,
        long openedForWriting,
        long stored,
        long problems,
        long connectionsFailed,
        long turnedAway,
        long displaced,
        long linesLeftOut) {}
