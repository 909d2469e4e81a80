package io.verbena.storage.wire;

/**
 * Identify namespace (CNS 0). Offsets in bytes.
 *
 * <pre>
 *  0 NSZE (8) | 8 NCAP (8) | 16 NUSE (8) | 24 NSFEAT | 25 NLBAF | 26 FLBAS | 30 NMIC | 33 DLFEAT | 99 NSATTR
 * 104 NGUID (16) | 120 EUI64 (8) | 128 LBAF0: 130 LBADS
 * </pre>
 */
public final class IdentifyNamespace extends Structure<IdentifyNamespace> {
    /** Length in bytes. */
    public static final int LENGTH = 4096;

    @Override
    IdentifyNamespace self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** NSZE. */
    public long sizeBlocks() {
        return u64(0);
    }

    /** Writes {@link #sizeBlocks()}. */
    public IdentifyNamespace sizeBlocks(long value) {
        return u64(0, value);
    }

    /** NCAP. */
    public long capacityBlocks() {
        return u64(8);
    }

    /** Writes {@link #capacityBlocks()}. */
    public IdentifyNamespace capacityBlocks(long value) {
        return u64(8, value);
    }

    /** NUSE. */
    public long usedBlocks() {
        return u64(16);
    }

    /** Writes {@link #usedBlocks()}. */
    public IdentifyNamespace usedBlocks(long value) {
        return u64(16, value);
    }

    /** NLBAF, zero-based. */
    public int formats() {
        return u8(25);
    }

    /** Writes {@link #formats()}. */
    public IdentifyNamespace formats(int value) {
        return u8(25, value);
    }

    /** FLBAS. */
    public int format() {
        return u8(26);
    }

    /** Writes {@link #format()}. */
    public IdentifyNamespace format(int value) {
        return u8(26, value);
    }

    /** NMIC. */
    public int sharing() {
        return u8(30);
    }

    /** Writes {@link #sharing()}. */
    public IdentifyNamespace sharing(int value) {
        return u8(30, value);
    }

    /** DLFEAT. */
    public int deallocation() {
        return u8(33);
    }

    /** Writes {@link #deallocation()}. */
    public IdentifyNamespace deallocation(int value) {
        return u8(33, value);
    }

    /** NSATTR; bit 0: write protected. */
    public int attributes() {
        return u8(99);
    }

    /** Writes {@link #attributes()}. */
    public IdentifyNamespace attributes(int value) {
        return u8(99, value);
    }

    /** NGUID. */
    public byte[] globalId() {
        return bytes(104, 16);
    }

    /** Writes {@link #globalId()}. */
    public IdentifyNamespace globalId(byte[] value) {
        return bytes(104, value);
    }

    /** LBADS of format 0: a block has 2^n bytes. */
    public int blockShift() {
        return u8(130);
    }

    /** Writes {@link #blockShift()}. */
    public IdentifyNamespace blockShift(int value) {
        return u8(130, value);
    }

    /** Zeroes the structure. */
    public IdentifyNamespace clear() {
        return zero(LENGTH);
    }

    /** LBADS of the format that FLBAS names. */
    public int currentBlockShift() {
        return u8(130 + 4 * (format() & 0xf));
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("sizeBlocks=")
                .append(sizeBlocks())
                .append(" capacityBlocks=")
                .append(capacityBlocks())
                .append(" usedBlocks=")
                .append(usedBlocks())
                .append(" formats=")
                .append(formats())
                .append(" format=")
                .append(format())
                .append(" sharing=")
                .append(sharing());
    }
}
