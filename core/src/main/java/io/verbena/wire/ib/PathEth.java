package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The header of a request that names its path and its final place, after a BTH with opcode D4: an extension between two
 * Verbenas. The other headers of the request follow. The VA and the R_Key are those of the first byte of a Write, in each of
 * its packets; other requests have zeros.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    Request    |D|   reserved  |            Entropy            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             Clock                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             Offset                            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                        Virtual Address                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             R_Key                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class PathEth extends Header<PathEth> {
    /** Length in bytes. */
    public static final int LENGTH = 24;

    private static final int REQUEST = 0;
    private static final int FLAGS = 1;
    private static final int ENTROPY = 2;
    private static final int CLOCK = 4;
    private static final int OFFSET = 8;
    private static final int VA = 12;
    private static final int R_KEY = 20;
    private static final int DISJOINT = 0;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Request: the opcode of a request of a reliable connection, whose headers and payload follow. */
    public IbOpcode request() {
        return IbOpcode.of(u8(REQUEST));
    }

    /** Sets the opcode and the path, and everything else to 0. */
    public PathEth set(IbOpcode request, int entropy, int clock) {
        return u8(REQUEST, request.value())
                .u8(FLAGS, 0)
                .u16(ENTROPY, entropy)
                .u32(CLOCK, clock)
                .u32(OFFSET, 0)
                .u64(VA, 0)
                .u32(R_KEY, 0);
    }

    /** D: the message overlaps no other Write or atomic that the requester has not seen completed. */
    public boolean disjoint() {
        return flag(FLAGS, DISJOINT);
    }

    public PathEth disjoint(boolean value) {
        return flag(FLAGS, DISJOINT, value);
    }

    /** Entropy: the number of the path that the packet takes. Its answers take the path with this number. */
    public int entropy() {
        return u16(ENTROPY);
    }

    /** Clock: when the packet was sent, in units of 64 ns of the sender's clock. */
    public int clock() {
        return u32(CLOCK);
    }

    /** Offset: position of the payload in the message, in bytes, unsigned. */
    public int offset() {
        return u32(OFFSET);
    }

    /** VA: the address of the first byte of the message. */
    public long va() {
        return u64(VA);
    }

    /** R_Key: the remote key of the memory of the message. */
    public int rKey() {
        return u32(R_KEY);
    }

    /** Sets the place of the payload of a Write. */
    public PathEth place(long va, int rKey, int offset) {
        return u64(VA, va).u32(R_KEY, rKey).u32(OFFSET, offset);
    }

    /** Appends one line such as {@code RC_WRITE_MIDDLE path=3 offset=4096}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(request()).append(" path=").append(entropy());
        out.append(" offset=").append(Integer.toUnsignedLong(offset()));
        if (rKey() != 0) {
            Hex.append(out.append(" at=0x"), va(), 16);
        }
        return disjoint() ? out.append(" disjoint") : out;
    }
}
