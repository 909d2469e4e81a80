package io.verbena.verbs;

/**
 * Identification of a registered CQ handler, unique within its RNIC: the datum a handler processor learns it by.
 *
 * @param value 1 or more
 */
public record CqHandlerId(int value) {

    /** No handler's. */
    public static final CqHandlerId NONE = new CqHandlerId(0);
}
