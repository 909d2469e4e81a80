package io.verbena.storage.wire;

/**
 * Private data of an accepted connection of NVMe over RDMA.
 *
 * <pre>
 *  0  RECFMT | CRQSIZE
 *  4  reserved
 * </pre>
 */
public final class CmReply extends Structure<CmReply> {
    /** Length in bytes. */
    public static final int LENGTH = 32;

    @Override
    CmReply self() {
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
    public CmReply recordFormat(int value) {
        return u16(0, value);
    }

    /** CRQSIZE: commands that the target can receive. */
    public int receiveQueueSize() {
        return u16(2);
    }

    /** Writes {@link #receiveQueueSize()}. */
    public CmReply receiveQueueSize(int value) {
        return u16(2, value);
    }

    /** Zeroes the structure. */
    public CmReply clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("recordFormat=")
                .append(recordFormat())
                .append(" receiveQueueSize=")
                .append(receiveQueueSize());
    }
}
