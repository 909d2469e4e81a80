package io.verbena.messaging.protocol;

/** The other side of {@link SendCredit}: what one peer has sent that no receive wants yet, and what it is to be told. Pure. */
public final class ReceiveCredit {

    private final long windowBytes;
    private long keptBytes;
    private long takenBytes;
    private long toldBytes;
    private int requests;

    /** For a peer that was promised this much. */
    public ReceiveCredit(long windowBytes) {
        this.windowBytes = windowBytes;
    }

    public long windowBytes() {
        return windowBytes;
    }

    /**
     * A whole message has to be kept.
     *
     * @return false when the peer had no credit for it
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
     * The request of a message has to be kept.
     *
     * @return false when the peer had no credit for it
     */
    public boolean onRequestKept() {
        if (requests >= SendCredit.MOST_REQUESTS) {
            return false;
        }
        requests++;
        return true;
    }

    /** A receive has taken a request that was kept. */
    public void onRequestTaken() {
        requests--;
    }

    /** Bytes that receives have taken since the beginning, to be told with any whole message that goes the other way. */
    public long takenBytes() {
        return takenBytes;
    }

    /** The peer is being told {@link #takenBytes}. */
    public void onTold() {
        toldBytes = takenBytes;
    }

    /** Whether enough was taken for a word of its own. */
    public boolean tellDue() {
        return takenBytes - toldBytes >= Math.max(1, windowBytes / 2);
    }
}
