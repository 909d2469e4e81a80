package io.verbena.sockets.ring;

import java.nio.ByteBuffer;

/** The ring that this side writes. One thread at a time uses it. */
final class RingOutput {

    /** Bytes after which a long write shows what it has done, so that the peer reads while it continues. */
    private static final int MOST_AT_ONCE = 32 * 1024;

    /** The same for bytes that the system puts into the ring: each piece is a call. */
    private static final int MOST_BY_CALL = 64 * 1024;

    private final ByteBuffer memory;
    private final int ring;
    private final int writtenAt;
    private final int grownAt;
    private final int peerReadAt;
    private final int peerDeafAt;
    private final int most;
    private int window = RingLayout.FIRST_WINDOW_BYTES;

    /** Where the next byte is written; the size of the window if it is at the end. */
    private int offset;

    private int doublings;
    private long written;

    /** What the peer had read when this side looked last. */
    private long read;

    RingOutput(ByteBuffer memory, boolean client, int ringBytes) {
        this.memory = memory;
        ring = RingLayout.ring(client, ringBytes);
        writtenAt = RingLayout.word(client, RingLayout.WRITTEN);
        grownAt = RingLayout.word(client, RingLayout.GROWN);
        peerReadAt = RingLayout.word(!client, RingLayout.READ);
        peerDeafAt = RingLayout.word(!client, RingLayout.DEAF);
        most = ringBytes;
    }

    /**
     * Copies as much as there is space for, and shows it to the peer.
     *
     * @return the number of bytes
     */
    int write(ByteBuffer source) throws RingViolation {
        int all = source.remaining();
        if (peerIsDeaf()) {
            source.position(source.limit()); // as if the peer had read it
            return all;
        }
        while (source.hasRemaining()) {
            if (space() < source.remaining()) {
                look();
            }
            int length = Math.min(room(source.remaining()), MOST_AT_ONCE);
            if (length == 0) {
                break;
            }
            memory.put(ring + offset, source, source.position(), length);
            source.position(source.position() + length);
            filled(length);
        }
        return all - source.remaining();
    }

    /**
     * Where a caller that has this many bytes can put some of them, in one piece; then it states their number by {@link
     * #filled}. Empty if there is no space, and also if the peer drops what it is sent.
     */
    ByteBuffer space(int wanted) throws RingViolation {
        if (peerIsDeaf()) {
            return memory.slice(ring, 0);
        }
        if (space() < wanted) {
            look();
        }
        int length = Math.min(room(wanted), MOST_BY_CALL);
        return memory.slice(ring + offset, length);
    }

    /** The piece of {@link #space} has this many bytes: shows them to the peer. */
    void filled(int bytes) {
        offset += bytes;
        written += bytes;
        RingLayout.store(memory, writtenAt, written);
    }

    /** Bytes that can be written in one piece, for a write of this length. At the end of the window it is decided whether that grows. */
    private int room(int wanted) {
        if (offset == window) {
            if (window < most && window - space() + (long) wanted > window) {
                RingLayout.store(memory, grownAt + doublings * Long.BYTES, written); // before what follows it
                doublings++;
                window *= 2;
            } else if (space() > 0) {
                offset = 0;
            }
        }
        return Math.min(wanted, Math.min(space(), window - offset));
    }

    private int space() {
        return window - (int) (written - read);
    }

    /** Looks what the peer has read. */
    private void look() throws RingViolation {
        long now = RingLayout.load(memory, peerReadAt);
        if (now - read < 0 || written - now < 0) {
            throw new RingViolation(
                    "The peer states that it has read " + now + " bytes, after " + read + " of " + written + ".");
        }
        read = now;
    }

    /** Whether the peer drops what it is sent. */
    boolean peerIsDeaf() {
        return RingLayout.load(memory, peerDeafAt) != 0;
    }

    /** Whether a write takes bytes. A full window that can grow takes some at its end. */
    boolean hasSpace() throws RingViolation {
        if (space() == 0) {
            look();
        }
        return space() > 0 || offset == window && window < most || peerIsDeaf();
    }

    /** Bytes that the peer has not read. */
    int unread() throws RingViolation {
        look();
        return (int) (written - read);
    }

    int windowBytes() {
        return window;
    }

    long written() {
        return written;
    }
}
