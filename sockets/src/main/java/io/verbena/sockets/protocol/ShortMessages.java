package io.verbena.sockets.protocol;

import io.verbena.base.Digest;

/**
 * Small data in one frame over iWARP, between two Verbenas: a Send, instead of a Write and the message that announces
 * it. The bytes arrive in the receive, and the receiving side copies them to where a Write would have put them. So
 * targets, credits and buffers are those of all data.
 *
 * <pre>
 *    receiving side                                   sending side
 *    takes some small data by Writes
 *    posts larger receives from now on
 *    SHORTS n                             ──────►    n messages as before, which use the receives posted before
 *                                         ◄──────    then Sends of up to {@link StreamSettings#SHORT_BYTES} bytes
 * </pre>
 *
 * <p>An idle stream has small receives. {@code n} is the greatest number of them, because each message of the peer
 * uses one, in order.
 */
final class ShortMessages {

    /** Small data messages after which larger receives are worth their memory; without memory, after as many again. */
    static final int SMALL_TO_PROVIDE = 16;

    private final StreamBuffers buffers;
    private boolean agreed;

    private int small;
    private boolean provided;
    private boolean stated;

    /** Messages to send before the receives of the peer hold data. */
    private int left;

    private boolean peerProvides;

    ShortMessages(StreamBuffers buffers) {
        this.buffers = buffers;
    }

    void agree() {
        agreed = true;
    }

    // Receiving.

    /** The peer sent data by a Write. */
    void onWritten(int bytes) {
        if (agreed && !provided && bytes <= StreamSettings.SHORT_BYTES && ++small == SMALL_TO_PROVIDE) {
            small = 0;
            provided = buffers.provideShorts();
        }
    }

    /** Whether the peer is to learn that its data can be Sends. */
    boolean due() {
        return provided && !stated;
    }

    void onStated() {
        stated = true;
    }

    /** Whether the peer may send data in Sends. */
    boolean expected() {
        return stated;
    }

    // Sending.

    /**
     * The peer provides receives after this many messages. Returns false if that was not agreed, or was said before.
     */
    boolean onProvided(int messages) {
        if (!agreed || peerProvides) {
            return false;
        }
        peerProvides = true;
        left = messages;
        return true;
    }

    /** A message was sent, which uses a receive of the peer. */
    void onSent() {
        if (left > 0) {
            left--;
        }
    }

    /** Whether the next message can be a Send of this many bytes. */
    boolean carries(int bytes) {
        return peerProvides && left == 0 && bytes <= StreamSettings.SHORT_BYTES;
    }

    long stateDigest(long digest) {
        return Digest.mix(
                Digest.mix(Digest.mix(digest, small), left), Digest.flags(agreed, provided, stated, peerProvides));
    }
}
