package io.verbena.storage.wire;

/**
 * The start of the discovery log page.
 *
 * <pre>
 *  0 GENCTR (8) | 8 NUMREC (8) | 16 RECFMT
 * </pre>
 */
public final class DiscoveryHeader extends Structure<DiscoveryHeader> {
    /** Length in bytes. */
    public static final int LENGTH = 1024;

    @Override
    DiscoveryHeader self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** GENCTR: changes with the contents. */
    public long generation() {
        return u64(0);
    }

    /** Writes {@link #generation()}. */
    public DiscoveryHeader generation(long value) {
        return u64(0, value);
    }

    /** NUMREC. */
    public long records() {
        return u64(8);
    }

    /** Writes {@link #records()}. */
    public DiscoveryHeader records(long value) {
        return u64(8, value);
    }

    /** RECFMT: 0. */
    public int recordFormat() {
        return u16(16);
    }

    /** Writes {@link #recordFormat()}. */
    public DiscoveryHeader recordFormat(int value) {
        return u16(16, value);
    }

    /** Zeroes the structure. */
    public DiscoveryHeader clear() {
        return zero(LENGTH);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("generation=")
                .append(generation())
                .append(" records=")
                .append(records())
                .append(" recordFormat=")
                .append(recordFormat());
    }
}
