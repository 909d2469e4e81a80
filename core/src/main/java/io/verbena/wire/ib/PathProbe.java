package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The payload of a packet with opcode D6, an extension between two Verbenas: a question that its receiver answers on the
 * path of the same number, with the same nonce. An answer is as long as its question. With F, the entropy is the
 * number of a
 * further address of both sides, between which question and answer go.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |A|F|         reserved          |            Entropy            |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             Nonce                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 */
public final class PathProbe extends Header<PathProbe> {
    /** Length in bytes. */
    public static final int LENGTH = 12;

    private static final int FLAGS = 0;
    private static final int ENTROPY = 2;
    private static final int NONCE = 4;
    private static final int ANSWER = 0;
    private static final int FURTHER = 1;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Sets all fields. */
    public PathProbe set(boolean answer, int entropy, long nonce) {
        return u16(FLAGS, 0).flag(FLAGS, ANSWER, answer).u16(ENTROPY, entropy).u64(NONCE, nonce);
    }

    /** Sets all fields of a question whether the sender is at a further address, or of its answer. */
    public PathProbe setFurther(boolean answer, int number, long nonce) {
        return set(answer, number, nonce).flag(FLAGS, FURTHER, true);
    }

    /** A: whether this is an answer. */
    public boolean answer() {
        return flag(FLAGS, ANSWER);
    }

    /** F: whether this concerns a further address, and not a path. */
    public boolean further() {
        return flag(FLAGS, FURTHER);
    }

    /** Entropy: the path, or with F the number of the address. */
    public int entropy() {
        return u16(ENTROPY);
    }

    /** Nonce: a value that the answer repeats. */
    public long nonce() {
        return u64(NONCE);
    }

    /** Appends one line such as {@code probe path=3 nonce=0x0000000000000001}. */
    public StringBuilder describe(StringBuilder out) {
        out.append(answer() ? "answer" : "probe")
                .append(further() ? " address=" : " path=")
                .append(entropy());
        return Hex.append(out.append(" nonce=0x"), nonce(), 16);
    }
}
