package io.verbena.proofs;

/** How much is proved: everything, or a tenth of it for continuous integration. */
public final class Scale {

    /** Property: whether a tenth is enough. */
    private static final boolean SHORT = Boolean.getBoolean("verbena.proofs.short");

    private Scale() {}

    /** This number, or a tenth of it. */
    public static int of(int full) {
        return SHORT ? full / 10 : full;
    }
}
