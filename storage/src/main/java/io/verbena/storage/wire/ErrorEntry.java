package io.verbena.storage.wire;

/**
 * One entry of the error log page (1).
 *
 * <pre>
 *  0 error count (8) | 8 SQID | 10 CID | 12 status &lt;&lt; 1 | 14 location | 16 LBA (8) | 24 NSID
 * </pre>
 */
public final class ErrorEntry extends Structure<ErrorEntry> {
    /** Length in bytes. */
    public static final int LENGTH = 64;

    @Override
    ErrorEntry self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Number of the error, from 1; 0: no entry. */
    public long count() {
        return u64(0);
    }

    /** Writes {@link #count()}. */
    public ErrorEntry count(long value) {
        return u64(0, value);
    }

    /** SQID. */
    public int queueId() {
        return u16(8);
    }

    /** Writes {@link #queueId()}. */
    public ErrorEntry queueId(int value) {
        return u16(8, value);
    }

    /** CID. */
    public int commandId() {
        return u16(10);
    }

    /** Writes {@link #commandId()}. */
    public ErrorEntry commandId(int value) {
        return u16(10, value);
    }

    /** The status with the phase bit. */
    public int statusField() {
        return u16(12);
    }

    /** Writes {@link #statusField()}. */
    public ErrorEntry statusField(int value) {
        return u16(12, value);
    }

    /** Byte and bit of the parameter, 0xffff: none. */
    public int location() {
        return u16(14);
    }

    /** Writes {@link #location()}. */
    public ErrorEntry location(int value) {
        return u16(14, value);
    }

    /** LBA. */
    public long block() {
        return u64(16);
    }

    /** Writes {@link #block()}. */
    public ErrorEntry block(long value) {
        return u64(16, value);
    }

    /** NSID. */
    public int namespaceId() {
        return u32(24);
    }

    /** Writes {@link #namespaceId()}. */
    public ErrorEntry namespaceId(int value) {
        return u32(24, value);
    }

    /** Zeroes the structure. */
    public ErrorEntry clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("count=")
                .append(count())
                .append(" queueId=")
                .append(queueId())
                .append(" commandId=")
                .append(commandId())
                .append(" statusField=")
                .append(statusField())
                .append(" location=")
                .append(location())
                .append(" block=")
                .append(block());
    }
}
