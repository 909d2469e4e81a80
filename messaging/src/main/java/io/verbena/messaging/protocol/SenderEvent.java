package io.verbena.messaging.protocol;

/** Events of the sender of one direction of a virtual channel. */
public enum SenderEvent {
    /** The control message was sent: the receiver has to provision other buffers. */
    CONTROL_MESSAGE_SENT,
    /** The head flag of the awaited acknowledgement has arrived. */
    HEAD_CHANGED,
    /** The tail flag has arrived too, and the acknowledgement is valid. */
    ACKNOWLEDGED,
    /** The tail flag did not arrive within its bound, or the content is impossible. */
    ACKNOWLEDGEMENT_BAD,
    /** The staging buffers of the sender have been provisioned. */
    PROVISIONED,
    /** The connection ended, or no acknowledgement arrived in time. */
    ENDED
}
