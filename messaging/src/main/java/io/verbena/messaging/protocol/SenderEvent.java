package io.verbena.messaging.protocol;

/** What happens to the sender of one direction of a virtual channel. */
public enum SenderEvent {
    /** The control message left: the receiver is to provision other buffers (344). */
    CONTROL_MESSAGE_SENT,
    /** The head flag of the awaited acknowledgement has changed. */
    HEAD_CHANGED,
    /** The tail flag has changed too, and the acknowledgement makes sense. */
    ACKNOWLEDGED,
    /** The tail flag did not change within the bound, or what is between the flags is impossible. */
    ACKNOWLEDGEMENT_BAD,
    /** The sender's own buffers are there. */
    PROVISIONED,
    /** The connection ended, or no acknowledgement came in all the time allowed. */
    ENDED
}
