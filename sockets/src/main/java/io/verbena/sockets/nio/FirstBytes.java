package io.verbena.sockets.nio;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decides from the first bytes of a stream whether it is a request for RDMA: one of MPA, or an offer of shared memory.
 *
 * <pre>
 *   0               16  17  18     20
 *   | MPA ID Req Frame | M.R | rev | length | private data |      RFC 5044 section 7.1
 *
 *   0         8                           40
 *   | VRBNSHMO | the memory that it offers |                       docs/shared-memory.md
 * </pre>
 *
 * <p>A request counts only if all of it is here: a peer that sends half of one costs no more than a silent one.
 */
final class FirstBytes {

    /** Most bytes to read before the decision: the header and the private data of a request. */
    static final int MOST = 20 + 512;

    private static final byte[] KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OFFER = "VRBNSHMO".getBytes(StandardCharsets.US_ASCII);
    private static final int OFFER_BYTES = 40;
    private static final int LENGTH_AT = 18;
    private static final int HEADER_BYTES = 20;

    /** What the bytes are. */
    enum Kind {
        /** The beginning of a request; more bytes are needed. */
        INCOMPLETE,
        /** A whole request for RDMA. */
        REQUEST,
        /** Anything else. */
        PLAIN
    }

    private FirstBytes() {}

    /** The kind of the bytes before the position. */
    static Kind kind(ByteBuffer read) {
        if (begins(read, KEY)) {
            return ofMpa(read);
        }
        if (begins(read, OFFER)) {
            return read.position() < OFFER_BYTES ? Kind.INCOMPLETE : Kind.REQUEST;
        }
        return Kind.PLAIN;
    }

    /** Whether the bytes, as far as they are here, are those of the key. */
    private static boolean begins(ByteBuffer read, byte[] key) {
        byte[] begin = new byte[Math.min(read.position(), key.length)];
        read.get(0, begin);
        return Arrays.equals(begin, 0, begin.length, key, 0, begin.length);
    }

    private static Kind ofMpa(ByteBuffer read) {
        int length = read.position();
        if (length < HEADER_BYTES) {
            return Kind.INCOMPLETE;
        }
        int whole = HEADER_BYTES + (read.getShort(LENGTH_AT) & 0xFFFF);
        if (whole > MOST) {
            return Kind.PLAIN;
        }
        return length < whole ? Kind.INCOMPLETE : Kind.REQUEST;
    }
}
