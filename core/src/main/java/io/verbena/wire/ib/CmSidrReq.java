package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * ServiceIDResolutionRequest (SIDR_REQ): requests the datagram queue pair of a service.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           requestId                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |              pKey             |            Reserved           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           serviceId                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 216 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use. Source:
 * InfiniBand architecture specification, volume 1, section 12.11.1.
 */
public final class CmSidrReq {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 216;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int REQUEST_ID = 0;
    private static final int P_KEY = 4;
    private static final int SERVICE_ID = 8;
    private static final int PRIVATE_DATA = 16;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmSidrReq wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** RequestID, which the answer repeats. */
    public int requestId() {
        return segment.get(U32, offset + REQUEST_ID);
    }

    /** Writes requestId. */
    public CmSidrReq requestId(int value) {
        segment.set(U32, offset + REQUEST_ID, value);
        return this;
    }

    /** Partition Key. */
    public int pKey() {
        return segment.get(U16, offset + P_KEY) & 0xffff;
    }

    /** Writes pKey. */
    public CmSidrReq pKey(int value) {
        segment.set(U16, offset + P_KEY, (short) value);
        return this;
    }

    /** ServiceID: the requested service. */
    public long serviceId() {
        return segment.get(U64, offset + SERVICE_ID);
    }

    /** Writes serviceId. */
    public CmSidrReq serviceId(long value) {
        segment.set(U64, offset + SERVICE_ID, value);
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmSidrReq privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("SIDR_REQ");
        Hex.append(out.append(" id=0x"), requestId(), 8);
        Hex.append(out.append(" service=0x"), serviceId(), 16);
        return out;
    }
}
