package io.verbena.messaging.collective;

/** How the elements of a reduction are combined. */
public record Combining(ElementType type, Reduction reduction) {

    /** For operations that combine nothing. */
    public static final Combining NONE = new Combining(ElementType.BYTE, PredefinedReduction.BOR);
}
