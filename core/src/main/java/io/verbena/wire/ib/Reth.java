package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The RDMA Extended Transport Header: the memory of the responder that a Write or Read accesses.
 *
 * <pre>
 *    0                   1                   2                   3
 * 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                        Virtual Address                        |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                             R_Key                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           DMA Length                          |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.3.
 */
public final class Reth extends Header<Reth> {
    /** Length in bytes. */
    public static final int LENGTH = 16;

    private static final int VA = 0;
    private static final int R_KEY = 8;
    private static final int DMA_LENGTH = 12;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** VA: the address of the first byte. */
    public long va() {
        return u64(VA);
    }

    public Reth va(long value) {
        return u64(VA, value);
    }

    /** R_Key: the remote key of the memory. */
    public int rKey() {
        return u32(R_KEY);
    }

    public Reth rKey(int value) {
        return u32(R_KEY, value);
    }

    /** DMALen: length of the message in bytes, unsigned, at most 2^31. */
    public int dmaLength() {
        return u32(DMA_LENGTH);
    }

    public Reth dmaLength(int value) {
        return u32(DMA_LENGTH, value);
    }

    /** Appends one line such as {@code va=0x0000000000001000 rkey=0x00000005 length=64}. */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("va=0x"), va(), 16);
        Hex.append(out.append(" rkey=0x"), rKey(), 8);
        return out.append(" length=").append(Integer.toUnsignedLong(dmaLength()));
    }
}
