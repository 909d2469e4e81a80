package io.verbena.messaging.protocol;

/** Events of the receiver of one direction of a virtual channel. */
public enum ReceiverEvent {
    /** The control message arrived, after all earlier elements. */
    CONTROL_MESSAGE,
    /** Buffers have been provisioned: as requested or, if the request was refused, as before. */
    PROVISIONED,
    /** The acknowledgement was posted. */
    ACKNOWLEDGED,
    /** The sender requests the acknowledgement once more. */
    REPETITION_REQUESTED,
    /** The connection ended. */
    ENDED
}
