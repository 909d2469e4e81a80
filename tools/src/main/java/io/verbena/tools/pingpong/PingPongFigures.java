package io.verbena.tools.pingpong;

/**
 * What a run has measured.
 *
 * @param sent messages sent
 * @param received messages received
 * @param bytes length of a message
 * @param durationNs time from the first message to the last
 */
public record PingPongFigures(long sent, long received, int bytes, long durationNs) {

    /** Bytes of both directions. */
    public long totalBytes() {
        return (sent + received) * bytes;
    }

    /** Time of one iteration: a message to the peer and one back. */
    public long iterationNs() {
        return durationNs / Math.max(1, received);
    }
}
