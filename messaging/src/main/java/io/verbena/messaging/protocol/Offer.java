package io.verbena.messaging.protocol;

/** Result of offering an element to a sender. */
public enum Offer {
    /** The element goes into the next slot. */
    SEND,
    /** Other buffers are needed: the control message goes into the next slot instead of the element. */
    ENLARGE,
    /** An acknowledgement is awaited. */
    AWAIT,
    /** All slots are full. */
    NO_SLOT,
    /** The peer grants no buffers that hold the element. */
    TOO_LARGE,
    /** The channel has ended. */
    ENDED
}
