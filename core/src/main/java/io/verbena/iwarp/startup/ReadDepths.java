package io.verbena.iwarp.startup;

/**
 * The number of RDMA Reads that one side serves, and that it has outstanding, at a time (RFC 6581 section 9.1).
 *
 * @param ird inbound: Reads of the other side that this side serves at a time, 0 to 0x3FFE, or {@link #LEFT_TO_ULP}
 * @param ord outbound: Reads that this side has outstanding at a time, 0 to 0x3FFE, or {@link #LEFT_TO_ULP}
 */
public record ReadDepths(int ird, int ord) {
    /** All ones in 14 bits: the upper layer negotiates this depth, not the start-up. */
    public static final int LEFT_TO_ULP = 0x3fff;
    /** Neither depth is negotiated, as in an unenhanced frame. */
    public static final ReadDepths NOT_NEGOTIATED = new ReadDepths(LEFT_TO_ULP, LEFT_TO_ULP);
    /** No Reads in either direction. */
    public static final ReadDepths ZERO = new ReadDepths(0, 0);

    /** Checks the range. */
    public ReadDepths {
        check("IRD", ird);
        check("ORD", ord);
    }

    private static void check(String name, int value) {
        if (value < 0 || value > LEFT_TO_ULP) {
            throw new IllegalArgumentException(name + " must be a number of 14 bits, not " + value);
        }
    }
}
