package io.verbena.messaging.protocol;

/** What happens to the receiver of one direction of a virtual channel. */
public enum ReceiverEvent {
    /** The control message arrived, behind all elements before it (681). */
    CONTROL_MESSAGE,
    /** Buffers are there: the wanted ones, or, refused, such as before. */
    PROVISIONED,
    /** The acknowledgement was posted (684). */
    ACKNOWLEDGED,
    /** The sender asks for the acknowledgement once more. */
    REPETITION_WANTED,
    /** The connection ended. */
    ENDED
}
