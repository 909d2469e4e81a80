package io.verbena.storage.wire;

/**
 * Private data of a connection request of NVMe over RDMA.
 *
 * <pre>
 *  0  RECFMT | QID
 *  4  HRQSIZE | HSQSIZE (zero-based)
 *  8  CNTLID | reserved
 * </pre>
 */
public final class CmRequest extends Structure<CmRequest> {
    /** Length in bytes. */
    public static final int LENGTH = 32;

    @Override
    CmRequest self() {
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
    public CmRequest recordFormat(int value) {
        return u16(0, value);
    }

    /** QID. */
    public int queueId() {
        return u16(2);
    }

    /** Writes {@link #queueId()}. */
    public CmRequest queueId(int value) {
        return u16(2, value);
    }

    /** HRQSIZE: responses that the host can receive. */
    public int receiveQueueSize() {
        return u16(4);
    }

    /** Writes {@link #receiveQueueSize()}. */
    public CmRequest receiveQueueSize(int value) {
        return u16(4, value);
    }

    /** HSQSIZE: commands that the host sends, zero-based. */
    public int sendQueueSizeMinusOne() {
        return u16(6);
    }

    /** Writes {@link #sendQueueSizeMinusOne()}. */
    public CmRequest sendQueueSizeMinusOne(int value) {
        return u16(6, value);
    }

    /** CNTLID of an I/O queue. */
    public int controllerId() {
        return u16(8);
    }

    /** Writes {@link #controllerId()}. */
    public CmRequest controllerId(int value) {
        return u16(8, value);
    }

    /** Zeroes the structure. */
    public CmRequest clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("recordFormat=")
                .append(recordFormat())
                .append(" queueId=")
                .append(queueId())
                .append(" receiveQueueSize=")
                .append(receiveQueueSize())
                .append(" sendQueueSizeMinusOne=")
                .append(sendQueueSizeMinusOne())
                .append(" controllerId=")
                .append(controllerId());
    }
}
