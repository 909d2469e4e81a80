package io.verbena.storage.wire;

/**
 * One range of Dataset Management.
 *
 * <pre>
 *  0 attributes | 4 blocks | 8 SLBA (8)
 * </pre>
 */
public final class DeallocateRange extends Structure<DeallocateRange> {
    /** Length in bytes. */
    public static final int LENGTH = 16;

    @Override
    DeallocateRange self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Context attributes. */
    public int attributes() {
        return u32(0);
    }

    /** Writes {@link #attributes()}. */
    public DeallocateRange attributes(int value) {
        return u32(0, value);
    }

    /** Number of blocks, unsigned. */
    public int blocks() {
        return u32(4);
    }

    /** Writes {@link #blocks()}. */
    public DeallocateRange blocks(int value) {
        return u32(4, value);
    }

    /** SLBA. */
    public long firstBlock() {
        return u64(8);
    }

    /** Writes {@link #firstBlock()}. */
    public DeallocateRange firstBlock(long value) {
        return u64(8, value);
    }

    /** Zeroes the structure. */
    public DeallocateRange clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("attributes=")
                .append(attributes())
                .append(" blocks=")
                .append(blocks())
                .append(" firstBlock=")
                .append(firstBlock());
    }
}
