package io.verbena.messaging.protocol;

/** What a sender answers when it is offered an element. */
public enum Offer {
    /** It can go now, into the next slot. */
    SEND,
    /** Other buffers are needed: the control message goes into the next slot, and nothing of the element (344). */
    ENLARGE,
    /** An acknowledgement is awaited (348, 350). */
    AWAIT,
    /** All slots are full. */
    NO_SLOT,
    /** No buffers that the peer grants hold it. */
    TOO_LARGE,
    /** The channel is over. */
    ENDED
}
