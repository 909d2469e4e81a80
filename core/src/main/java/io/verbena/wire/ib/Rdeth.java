package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The Reliable Datagram Extended Transport Header: the end-to-end context of the packet.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |    Reserved   |                   EE-Context                  |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.1.
 */
public final class Rdeth extends Header<Rdeth> {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    private static final int EE_CONTEXT = 1;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** EE-Context: the context of the receiver. */
    public int eeContext() {
        return u24(EE_CONTEXT);
    }

    public Rdeth eeContext(int value) {
        return u24(EE_CONTEXT, value);
    }

    /** Writes the whole header. */
    public Rdeth set(int eeContext) {
        return u32(0, eeContext & 0xffffff);
    }

    /** Appends one line such as {@code eec=0x000003}. */
    public StringBuilder describe(StringBuilder out) {
        return Hex.append(out.append("eec=0x"), eeContext(), 6);
    }
}
