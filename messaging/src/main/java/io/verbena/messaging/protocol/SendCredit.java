package io.verbena.messaging.protocol;

/**
 * What a sender may send to one peer without knowing whether a receive wants it. A message that the peer must keep whole takes its
 * bytes and a header from the peer's window until the peer says that a receive has taken it. A message that only announces itself
 * takes none of the window: its bytes stay with the sender. Words that answer something take nothing at all, so they never wait
 * for data. Pure.
 */
public final class SendCredit {

    /** What a kept message takes beside its bytes. */
    public static final long HEADER_BYTES = 64;

    /** Most messages of one sender that announce themselves and are not answered. */
    public static final int MOST_REQUESTS = 1 << 20;

    private long windowBytes;
    private long sentBytes;
    private long takenBytes;
    private int requests;

    /** The peer keeps this much; nothing was sent before. */
    public void window(long bytes) {
        windowBytes = bytes;
    }

    /** Whether a message may go whole. */
    public boolean holds(long length) {
        return sentBytes - takenBytes + length <= windowBytes;
    }

    /** A message has gone whole. */
    public void onSent(long length) {
        sentBytes += length + HEADER_BYTES;
    }

    /**
     * The peer says how much receives have taken since the beginning.
     *
     * @return false when that is more than was sent
     */
    public boolean onTaken(long totalBytes) {
        if (totalBytes > sentBytes || totalBytes < 0) {
            return false;
        }
        takenBytes = Math.max(takenBytes, totalBytes); // an older word may come behind a newer one in another flow
        return true;
    }

    /** Whether one more message may announce itself. */
    public boolean mayRequest() {
        return requests < MOST_REQUESTS;
    }

    public void onRequested() {
        requests++;
    }

    /** The peer has answered one. */
    public void onRequestAnswered() {
        requests--;
    }
}
