package io.verbena.storage.wire;

/**
 * Private data of a rejected connection of NVMe over RDMA.
 *
 * <pre>
 *  0  RECFMT | STS
 * </pre>
 */
public final class CmReject extends Structure<CmReject> {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    @Override
    CmReject self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** RECFMT: 0. */
    public int recordFormat() {
        return u16(0);
    }

    /** Writes {@link #recordFormat()}. */
    public CmReject recordFormat(int value) {
        return u16(0, value);
    }

    /** STS: a {@link RejectReason}. */
    public int reason() {
        return u16(2);
    }

    /** Writes {@link #reason()}. */
    public CmReject reason(int value) {
        return u16(2, value);
    }

    /** Zeroes the structure. */
    public CmReject clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("recordFormat=")
                .append(recordFormat())
                .append(" reason=")
                .append(reason());
    }
}
