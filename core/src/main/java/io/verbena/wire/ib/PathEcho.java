package io.verbena.wire.ib;

import io.verbena.wire.Header;

/**
 * The first bytes of the payload of an acknowledgement with opcode D5, an extension between two Verbenas: which packet
 * caused it. A bit map of the packets after the acknowledged ones follows, of 0 to 128 bytes in words of 4: bit n of
 * the map is bit n % 8 of byte n / 8, and stands for the PSN n + 2 after the one in the BTH.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |D|C|O|T|     reserved          |            Entropy            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             Clock                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class PathEcho extends Header<PathEcho> {
    /** Length in bytes. */
    public static final int LENGTH = 8;

    /** D: a packet arrived a second time since the last acknowledgement. */
    public static final int DUPLICATE = 0x80;

    /** C: a packet that a congested router has marked arrived since the last acknowledgement. */
    public static final int MARKED = 0x40;

    /** O: a packet beyond the window was dropped. */
    public static final int OUTSIDE = 0x20;

    /** T: a packet arrived without its payload, which a router has cut off. The clock is replaced by its PSN. */
    public static final int TRIMMED = 0x10;

    /** The entropy of an acknowledgement that no packet has caused, but a question. */
    public static final int NO_PATH = 0xffff;

    private static final int FLAGS = 0;
    private static final int RESERVED = 1;
    private static final int ENTROPY = 2;
    private static final int CLOCK = 4;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Sets all fields. */
    public PathEcho set(int flags, int entropy, int clock) {
        return u8(FLAGS, flags).u8(RESERVED, 0).u16(ENTROPY, entropy).u32(CLOCK, clock);
    }

    /** {@link #DUPLICATE}, {@link #MARKED}, {@link #OUTSIDE} and {@link #TRIMMED}, as bits. */
    public int flags() {
        return u8(FLAGS);
    }

    /** Entropy: the path of the packet that arrived last, or with C of the one that was marked last. */
    public int entropy() {
        return u16(ENTROPY);
    }

    /** Clock: the clock in the packet that the entropy is of, or with T the PSN of one that was trimmed. */
    public int clock() {
        return u32(CLOCK);
    }

    /** Appends one line such as {@code path=3 clock=1562 duplicate}. */
    public StringBuilder describe(StringBuilder out) {
        out.append("path=").append(entropy()).append(" clock=").append(Integer.toUnsignedLong(clock()));
        out.append((flags() & DUPLICATE) != 0 ? " duplicate" : "");
        out.append((flags() & MARKED) != 0 ? " marked" : "");
        out.append((flags() & TRIMMED) != 0 ? " trimmed" : "");
        return out.append((flags() & OUTSIDE) != 0 ? " outside" : "");
    }
}
