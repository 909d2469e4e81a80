package io.verbena.sockets.ring.channel;

import io.verbena.sockets.ring.RingEnd;
import io.verbena.verbs.ByteSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * Bytes that go straight from a channel of the program into a ring, and from a ring into a channel, without a buffer of
 * the program. The caller has the lock of the direction.
 */
final class RingTransfer {

    /** {@link #fill} has found no space, and has not read the source. */
    static final int NO_SPACE = -2;

    /** What the peer drops is read in pieces of this size. */
    private static final int DROPPED_BYTES = 8192;

    private RingTransfer() {}

    /**
     * Reads a source once into the ring.
     *
     * @return the number of bytes; 0 if the source has none, -1 at its end; {@link #NO_SPACE}
     */
    static int fill(RingEnd end, ByteSource source, int most) throws IOException {
        ByteBuffer space = end.space(most);
        if (!space.hasRemaining()) {
            return end.drops() ? drop(source, most) : NO_SPACE;
        }
        int length = space.remaining();
        int bytes = atMost(source.read(space), length);
        if (bytes > 0) {
            end.filled(bytes);
        }
        return bytes;
    }

    /** Reads a source once, for a peer that takes nothing any more. */
    static int drop(ByteSource source, int most) throws IOException {
        int length = Math.min(most, DROPPED_BYTES);
        return atMost(source.read(ByteBuffer.allocate(length)), length);
    }

    /**
     * Writes what has arrived to a channel, as far as it lies in one piece.
     *
     * @return the number of bytes; 0 if there are none, or the channel took none; {@link RingEnd#END}; {@link
     *      RingEnd#RESET}
     */
    static int give(RingEnd end, WritableByteChannel target) throws IOException {
        ByteBuffer arrived = end.arrived();
        if (!arrived.hasRemaining()) {
            return end.whyNone();
        }
        int bytes = atMost(target.write(arrived), arrived.capacity());
        if (bytes > 0) {
            end.taken(bytes);
        }
        return bytes;
    }

    private static int atMost(int bytes, int length) {
        if (bytes > length) {
            throw new IllegalArgumentException("A channel of the program states that it has transferred " + bytes
                    + " bytes, of at most " + length + ".");
        }
        return bytes;
    }
}
