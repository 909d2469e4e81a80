package io.verbena.wire.ib;

import io.verbena.wire.Header;
import io.verbena.wire.Hex;

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
 * <p>Source: InfiniBand architecture specification, volume 1, section 12.11.2.
 */
public final class CmSidrRep extends Header<CmSidrRep> {
    /** Length in bytes. */
    public static final int LENGTH = 232;

    /** Maximum length of private data in bytes. */
    public static final int PRIVATE_DATA_BYTES = 136;

    private static final int REQUEST_ID = 0;
    private static final int STATUS = 4;
    private static final int INFO_LENGTH = 5;
    private static final int QPN = 8;
    private static final int SERVICE_ID = 12;
    private static final int Q_KEY = 20;
    private static final int PRIVATE_DATA = 96;

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** RequestID of the request. */
    public int requestId() {
        return u32(REQUEST_ID);
    }

    public CmSidrRep requestId(int value) {
        return u32(REQUEST_ID, value);
    }

    /** Status: 0 valid, 1 not supported, 2 rejected, 3 no queue pair, 4 redirected. */
    public int status() {
        return u8(STATUS);
    }

    public CmSidrRep status(int value) {
        return u8(STATUS, value);
    }

    /** Additional Information Length. */
    public int infoLength() {
        return u8(INFO_LENGTH);
    }

    public CmSidrRep infoLength(int value) {
        return u8(INFO_LENGTH, value);
    }

    /** QPN. */
    public int qpn() {
        return u24(QPN);
    }

    public CmSidrRep qpn(int value) {
        return u24(QPN, value);
    }

    /** ServiceID. */
    public long serviceId() {
        return u64(SERVICE_ID);
    }

    public CmSidrRep serviceId(long value) {
        return u64(SERVICE_ID, value);
    }

    /** Q_Key. */
    public int qKey() {
        return u32(Q_KEY);
    }

    public CmSidrRep qKey(int value) {
        return u32(Q_KEY, value);
    }

    /** The private data, including trailing zeros. */
    public byte[] privateData() {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES);
    }

    public CmSidrRep privateData(byte[] data) {
        return bytes(PRIVATE_DATA, PRIVATE_DATA_BYTES, data);
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
