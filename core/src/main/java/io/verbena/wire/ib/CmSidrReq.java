package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.11.1.
 */
public final class CmSidrReq extends Header<CmSidrReq> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 216;

    private static final int REQUEST_ID = 0;
    private static final int P_KEY = 4;
    private static final int SERVICE_ID = 8;
    private static final int PRIVATE_DATA = 16;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** RequestID, which the answer repeats. */
    public int requestId() {
        return u32(REQUEST_ID);
    }

    public CmSidrReq requestId(int value) {
        return u32(REQUEST_ID, value);
    }

    /** Partition Key. */
    public int pKey() {
        return u16(P_KEY);
    }

    public CmSidrReq pKey(int value) {
        return u16(P_KEY, value);
    }

    /** ServiceID: the requested service. */
    public long serviceId() {
        return u64(SERVICE_ID);
    }

    public CmSidrReq serviceId(long value) {
        return u64(SERVICE_ID, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmSidrReq privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("SIDR_REQ");
        Hex.append(out.append(" id=0x"), requestId(), 8);
        Hex.append(out.append(" service=0x"), serviceId(), 16);
        return out;
    }
}
