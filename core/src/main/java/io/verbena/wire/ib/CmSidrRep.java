package io.verbena.wire.ib;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * ServiceIDResolutionResponse (SIDR_REP): the datagram queue pair of a service.
 *
 * <pre>
 *    0                   1                   2                   3
 *    0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           requestId                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |     status    |   infoLength  |            Reserved           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                      qpn                      |    Reserved   |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                           serviceId                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                              qKey                             |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                            Reserved                           |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 *   |                    Private data, 136 bytes                    |
 *   +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: InfiniBand architecture specification, volume 1, section 12.11.2.
 */
public final class CmSidrRep {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 136;

    private static final ValueLayout.OfByte U8 = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private static final int REQUEST_ID = 0;
    private static final int STATUS = 4;
    private static final int INFO_LENGTH = 5;
    private static final int QPN = 8;
    private static final int SERVICE_ID = 12;
    private static final int Q_KEY = 20;
    private static final int PRIVATE_DATA = 96;

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the structure that starts at {@code offset}. */
    public CmSidrRep wrap(MemorySegment segment, long offset) {
        this.segment = segment;
        this.offset = offset;
        return this;
    }

    /** RequestID of the request. */
    public int requestId() {
        return segment.get(U32, offset + REQUEST_ID);
    }

    /** Writes requestId. */
    public CmSidrRep requestId(int value) {
        segment.set(U32, offset + REQUEST_ID, value);
        return this;
    }

    /** Status: 0 valid, 1 not supported, 2 rejected, 3 no queue pair, 4 redirected. */
    public int status() {
        return segment.get(U8, offset + STATUS) & 0xff;
    }

    /** Writes status. */
    public CmSidrRep status(int value) {
        segment.set(U8, offset + STATUS, (byte) value);
        return this;
    }

    /** Additional Information Length. */
    public int infoLength() {
        return segment.get(U8, offset + INFO_LENGTH) & 0xff;
    }

    /** Writes infoLength. */
    public CmSidrRep infoLength(int value) {
        segment.set(U8, offset + INFO_LENGTH, (byte) value);
        return this;
    }

    /** QPN. */
    public int qpn() {
        return segment.get(U32, offset + QPN) >>> 8 & 0xffffff;
    }

    /** Writes qpn. */
    public CmSidrRep qpn(int value) {
        segment.set(U32, offset + QPN, segment.get(U32, offset + QPN) & ~0xffffff00 | (value & 0xffffff) << 8);
        return this;
    }

    /** ServiceID. */
    public long serviceId() {
        return segment.get(U64, offset + SERVICE_ID);
    }

    /** Writes serviceId. */
    public CmSidrRep serviceId(long value) {
        segment.set(U64, offset + SERVICE_ID, value);
        return this;
    }

    /** Q_Key. */
    public int qKey() {
        return segment.get(U32, offset + Q_KEY);
    }

    /** Writes qKey. */
    public CmSidrRep qKey(int value) {
        segment.set(U32, offset + Q_KEY, value);
        return this;
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).toArray(U8);
    }

    /** Writes the private data and fills the rest with zeros. */
    public CmSidrRep privateData(byte[] data) {
        MemorySegment target =
                segment.asSlice(offset + PRIVATE_DATA, PRIVATE_DATA_BYTES).fill((byte) 0);
        MemorySegment.copy(data, 0, target, U8, 0, Math.min(data.length, PRIVATE_DATA_BYTES));
        return this;
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("SIDR_REP");
        Hex.append(out.append(" id=0x"), requestId(), 8);
        out.append(" status=").append(status());
        Hex.append(out.append(" qp=0x"), qpn(), 6);
        return out;
    }
}
