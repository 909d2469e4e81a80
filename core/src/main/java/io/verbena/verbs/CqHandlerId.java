package io.verbena.verbs;

/**
 * Identification of a registered CQ handler, unique within its RNIC. A handler processor receives it with each signal.
 *
 * @param value 1 or more
 */
public record CqHandlerId(int value) {

    /** The identification of no handler. */
    public static final CqHandlerId NONE = new CqHandlerId(0);
}
