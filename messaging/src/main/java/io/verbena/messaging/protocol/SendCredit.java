package io.verbena.messaging.protocol;

/**
 * What a sender may send to one peer without knowing whether a receive is posted. A message that the peer must keep as a whole takes its
 * bytes and a header from the window that the peer has granted, until the peer reports that a receive has taken it. A message that is only
 * announced takes nothing of the window, since its bytes stay with the sender, but the number of unanswered announcements is limited.
 * Replies need no credit, so they never wait for data. Pure.
 */
public final class SendCredit {

    /** Bytes that a kept message takes in addition to its own. */
    public static final long HEADER_BYTES = 64;

    private long windowBytes;
    private int maxRequests = Integer.MAX_VALUE;
    private long sentBytes;
    private long takenBytes;
    private int requests;

    /** Sets the limits that the peer has granted, before the first message. */
    public void limits(long bytes, int announcements) {
        windowBytes = bytes;
        maxRequests = Math.max(1, announcements); // with none, no long message could ever be sent
    }

    /** Returns whether a message of this length may be sent as a whole. */
    public boolean holds(long length) {
        return sentBytes - takenBytes + length <= windowBytes;
    }

    /** A message was sent as a whole. */
    public void onSent(long length) {
        sentBytes += length + HEADER_BYTES;
    }

    /**
     * The peer reports the number of bytes that receives have taken since the start.
     *
     * @return false if that is more than was sent
     */
    public boolean onTaken(long totalBytes) {
        if (totalBytes > sentBytes || totalBytes < 0) {
            return false;
        }
        takenBytes = Math.max(
                takenBytes, totalBytes); // an older report may arrive after a newer one on another virtual channel
        return true;
    }

    /** Returns whether a further message may be announced. */
    public boolean mayRequest() {
        return requests < maxRequests;
    }

    /** Number of announced messages that the peer has not answered. */
    public int requests() {
        return requests;
    }

    /** A message was announced. */
    public void onRequested() {
        requests++;
    }

    /** The peer has answered an announcement. */
    public void onRequestAnswered() {
        requests--;
    }
}
