package io.verbena.wire;

/** The operations of an {@link AtomicRequest}. Source: RFC 7306 section 5.2.1 (table of atomic operation codes). */
public enum AtomicOpcode {
    /** Adds, field by field, and returns the old value. */
    FETCH_ADD(0x0, "FetchAdd"),
    /** Compares under a mask, stores under a mask where equal, and returns the old value. */
    CMP_SWAP(0x2, "CmpSwap"),
    /** Represents every other value; its {@link #value()} is 0xF. */
    UNSUPPORTED(0xf, "UnsupportedAtomic");

    private final int value;
    private final String label;

    AtomicOpcode(int value, String label) {
        this.value = value;
        this.label = label;
    }

    /** The operation with the low four bits of {@code value}, or {@link #UNSUPPORTED}. Never fails. */
    public static AtomicOpcode of(int value) {
        return switch (value & 0xf) {
            case 0x0 -> FETCH_ADD;
            case 0x2 -> CMP_SWAP;
            default -> UNSUPPORTED;
        };
    }

    /** The four bits on the wire. */
    public int value() {
        return value;
    }

    /** A short name for one-line printing. */
    public String label() {
        return label;
    }
}
