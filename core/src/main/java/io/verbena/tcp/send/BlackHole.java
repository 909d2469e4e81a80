package io.verbena.tcp.send;

/**
 * Notices that segments are too long for a path which loses them without a report (RFC 4821 section 7.7). Either the first segment was lost
 * twice and none of its length was ever delivered; or the path has become narrower: the segment is lost while small ones are acknowledged.
 *
 * <pre>
 *   timeout     segment  -->  lost
 *   timeout     segment  -->  lost
 *               probe    -->  acknowledged: the path works
 *   timeout     the segment is too long
 * </pre>
 *
 * <p>A path that is interrupted loses the probes as well, so its segments keep their length.
 */
final class BlackHole {

    /** Segments of this length pass almost everywhere, so they are not suspected. */
    private static final int SHORT_BYTES = 1_360;

    private boolean found;
    private boolean probed;
    private boolean answered;

    /**
     * The retransmission timer has expired. Returns whether to send a probe beside the repetition.
     *
     * @param again whether the first segment had been repeated before
     * @param bytes its length
     * @param longestDelivered the longest segment that was ever delivered
     */
    boolean onTimeout(boolean again, long bytes, long longestDelivered) {
        found = again && (bytes > longestDelivered || answered);
        probed = again && !found && bytes > SHORT_BYTES;
        answered = false;
        return probed;
    }

    /** An acknowledgment has arrived: of the first segment, or of none. A late one may be older than the probe. */
    void onAcknowledgment(boolean advanced, boolean late) {
        answered |= probed && !late;
        answered &= !advanced;
        probed &= !advanced;
    }

    /** Whether segments are too long. */
    boolean found() {
        return found;
    }
}
