package io.verbena.tcp.send;

/**
 * By how much one acknowledgment may increase the congestion window in slow start. The window grows by what was acknowledged (RFC 3465),
 * within a limit, because the growth is sent as one burst:
 *
 * <ul>
 *   <li>eight segments, which RFC 9406 section 4.2 recommends to senders that do not pace;
 *   <li>or the longest packet that the carrier has taken at once: that burst leaves in one call anyway, and a peer whose system joins
 *       segments acknowledges once for all of it. With a limit in segments a window would grow by a small part of each such
 *       acknowledgment;
 *   <li>after a timeout two segments (RFC 3465 section 2.3), because an acknowledgment may cover what arrived long ago.
 * </ul>
 */
final class SlowStart {

    private static final int SEGMENTS = 8;
    private static final int SEGMENTS_AFTER_TIMEOUT = 2;

    private long longestPacket;

    /** The carrier takes this many bytes of segments as one packet. */
    void onPacket(long bytes) {
        longestPacket = Math.max(longestPacket, bytes);
    }

    /** The part of these acknowledged bytes by which the window may grow. */
    long growth(long bytes, int segmentBytes, boolean afterTimeout) {
        long limit = afterTimeout
                ? (long) SEGMENTS_AFTER_TIMEOUT * segmentBytes
                : Math.max((long) SEGMENTS * segmentBytes, longestPacket);
        return Math.min(bytes, limit);
    }
}
