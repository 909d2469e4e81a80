package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

/**
 * The Atomic Extended Transport Header: address and operands of an atomic operation.
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
 *   |                       Swap (or Add) Data                      |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                          Compare Data                         |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                                                               |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>Source: InfiniBand architecture specification, volume 1, section 9.3.4.
 */
public final class AtomicEth extends Header<AtomicEth> {
    /** Length in bytes. */
    public static final int LENGTH = 28;

    private static final int VA = 0;
    private static final int R_KEY = 8;
    private static final int SWAP_OR_ADD_DATA = 12;
    private static final int COMPARE_DATA = 20;

    /** Whether {@code available} bytes contain the header. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** VA: the address of the word, a multiple of 8. */
    public long va() {
        return u64(VA);
    }

    public AtomicEth va(long value) {
        return u64(VA, value);
    }

    /** R_Key: the remote key of the memory. */
    public int rKey() {
        return u32(R_KEY);
    }

    public AtomicEth rKey(int value) {
        return u32(R_KEY, value);
    }

    /** SwapDt: the value to store or to add. */
    public long swapOrAddData() {
        return u64(SWAP_OR_ADD_DATA);
    }

    public AtomicEth swapOrAddData(long value) {
        return u64(SWAP_OR_ADD_DATA, value);
    }

    /** CmpDt: the value to compare with; ignored by a fetch-and-add. */
    public long compareData() {
        return u64(COMPARE_DATA);
    }

    public AtomicEth compareData(long value) {
        return u64(COMPARE_DATA, value);
    }

    /**
     * Appends one line such as {@code va=0x0000000000001000 rkey=0x00000005 swap=0x0000000000000001
     * compare=0x0000000000000000}.
     */
    public StringBuilder describe(StringBuilder out) {
        Hex.append(out.append("va=0x"), va(), 16);
        Hex.append(out.append(" rkey=0x"), rKey(), 8);
        Hex.append(out.append(" swap=0x"), swapOrAddData(), 16);
        return Hex.append(out.append(" compare=0x"), compareData(), 16);
    }
}
