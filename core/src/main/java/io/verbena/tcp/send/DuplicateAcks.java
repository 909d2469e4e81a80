package io.verbena.tcp.send;

/**
 * Duplicate acknowledgments of a peer without SACK. Each stands for one segment that was delivered after a gap and so left the
 * network (RFC 5681 section 2); which one is unknown. Never more than there are segments without an acknowledgment.
 */
final class DuplicateAcks {

    private static final int LOSS = 3;
    private static final int MOST = 1 << 16;

    private int count;

    /** Counts one; returns false if it stands for no segment. */
    boolean add(int segmentsSent) {
        if (count >= Math.min(MOST, segmentsSent)) {
            return false;
        }
        count++;
        return true;
    }

    /** The first gap is filled, and this number of segments is acknowledged. */
    void onAdvance(int segments, boolean recovering) {
        count = recovering ? Math.max(0, count - Math.max(0, segments - 1)) : 0;
    }

    /** Whether they show a loss: RFC 5681 section 3.2. */
    boolean showLoss() {
        return count >= LOSS;
    }

    /** Bytes that have left the network. */
    long bytes(int segmentBytes) {
        return (long) count * segmentBytes;
    }

    void clear() {
        count = 0;
    }
}
