package io.verbena.sockets.nio;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Decides from the first bytes of a stream whether it is a request for RDMA.
 *
 * <pre>
 *   0               16  17  18     20
 *   | MPA ID Req Frame | M.R | rev | length | private data |      RFC 5044 section 7.1
 * </pre>
 *
 * <p>A request counts only if all of it is here: a peer that sends half of one costs no more than a silent one.
 */
final class FirstBytes {

    /** Most bytes to read before the decision: the header and the private data of a request. */
    static final int MOST = 20 + 512;

    private static final byte[] KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
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
        int length = read.position();
        int compared = Math.min(length, KEY.length);
        byte[] begin = new byte[compared];
        read.get(0, begin);
        if (!Arrays.equals(begin, 0, compared, KEY, 0, compared)) {
            return Kind.PLAIN;
        }
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
