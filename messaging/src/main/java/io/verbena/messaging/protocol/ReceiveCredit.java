package io.verbena.messaging.protocol;

/**
 * Counterpart of {@link SendCredit}: what one peer has sent that no receive has taken, and what has to be reported to that peer. Pure.
 */
public final class ReceiveCredit {

    private final long windowBytes;
    private final int maxRequests;
    private long keptBytes;
    private long takenBytes;
    private long reportedBytes;
    private int requests;

    /**
     * Grants credit to a peer.
     *
     * @param windowBytes bytes of messages that are kept as a whole
     * @param maxRequests number of announced messages
     */
    public ReceiveCredit(long windowBytes, int maxRequests) {
        this.windowBytes = windowBytes;
        this.maxRequests = maxRequests;
    }

    public long windowBytes() {
        return windowBytes;
    }

    public int maxRequests() {
        return maxRequests;
    }

    /**
     * A whole message has to be kept.
     *
     * @return false if the peer had no credit for it
     */
    public boolean onKept(long length) {
        if (keptBytes + length > windowBytes) {
            return false;
        }
        keptBytes += length + SendCredit.HEADER_BYTES;
        return true;
    }

    /** A receive has taken a message that was kept. */
    public void onKeptTaken(long length) {
        keptBytes -= length + SendCredit.HEADER_BYTES;
        onTaken(length);
    }

    /** A receive has taken a whole message. */
    public void onTaken(long length) {
        takenBytes += length + SendCredit.HEADER_BYTES;
    }

    /**
     * The announcement of a message has to be kept.
     *
     * @return false if the peer had no credit for it
     */
    public boolean onRequestKept() {
        if (requests >= maxRequests) {
            return false;
        }
        requests++;
        return true;
    }

    /** A receive has taken an announcement that was kept. */
    public void onRequestTaken() {
        requests--;
    }

    /** Bytes that receives have taken since the start; reported with every whole message of the other direction. */
    public long takenBytes() {
        return takenBytes;
    }

    /** {@link #takenBytes} is being reported to the peer. */
    public void onReported() {
        reportedBytes = takenBytes;
    }

    /** Returns whether enough bytes have been taken for a report of their own. */
    public boolean reportDue() {
        return takenBytes - reportedBytes >= Math.max(1, windowBytes / 2);
    }
}
