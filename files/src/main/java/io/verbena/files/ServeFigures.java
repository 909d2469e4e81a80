package io.verbena.files;

/**
 * Counts of what a server did.
 *
 * @param links connections of clients
 * @param requests requests of clients
 * @param linesLeftOut lines that the rate limit kept out of the log
 */
public record ServeFigures(Links links, Requests requests, long linesLeftOut) {

    /**
     * Connections of clients.
     *
     * @param connections connections accepted
     * @param connectionsFailed connections that ended with an error
     * @param turnedAway connection requests that were rejected
     * @param displaced connections that were closed in favour of a client of another origin
     */
    public record Links(long connections, long connectionsFailed, long turnedAway, long displaced) {}

    /**
     * Requests of clients.
     *
     * @param openedForReading files that clients opened to fetch them
     * @param openedForWriting files that clients opened to store into them
     * @param stored stores that were committed
     * @param problems requests that were answered with a problem
     */
    public record Requests(long openedForReading, long openedForWriting, long stored, long problems) {}
}
