package io.verbena.survival;

import io.verbena.wire.Header;

/**
 * What precedes the private data of a program in the first Request and its Reply, if the sender wants the connection
 * to survive its transport.
 *
 * <pre>
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                             Magic                             |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |    Version    |     Side      |           Reserved            |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |               Half of the id of the association               |
 *  |                           (8 bytes)                           |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *  |                       Part of the secret                      |
 *  |                           (32 bytes)                          |
 *  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class AgreementHeader extends Header<AgreementHeader> {
    /** Bytes. */
    public static final int LENGTH = 48;

    /** The value of {@link #magic}: "VBNS". */
    public static final int MAGIC = 0x56424e53;

    /** The value of {@link #version}. */
    public static final int VERSION = 1;

    /** Where the part of the secret begins. */
    static final int SECRET = 16;

    /** Whether {@code available} bytes hold the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    public int magic() {
        return u32(0);
    }

    public AgreementHeader magic(int value) {
        return u32(0, value);
    }

    public int version() {
        return u8(4);
    }

    public AgreementHeader version(int value) {
        return u8(4, value);
    }

    /** 0 in a Request, 1 in a Reply. */
    public int side() {
        return u8(5);
    }

    public AgreementHeader side(int value) {
        return u8(5, value);
    }

    public long idHalf() {
        return u64(8);
    }

    public AgreementHeader idHalf(long value) {
        return u64(8, value);
    }

    /** Appends one line such as {@code version=1 side=0 id=0123456789abcdef}; does not show the secret. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("version=")
                .append(version())
                .append(" side=")
                .append(side())
                .append(" id=")
                .append(String.format("%016x", idHalf()));
    }
}
