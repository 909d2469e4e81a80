package io.verbena.messaging.protocol;

/** States of the receiver of one direction of a virtual channel. */
public enum ReceiverState {
    /** Buffers of the requested size are being provisioned. */
    PROVISIONING,
    /** The channel uses the new buffers; the acknowledgement has not been sent yet. */
    ACKNOWLEDGING,
    /** Elements are received through the present buffers. */
    RECEIVING,
    /** The channel has ended. */
    ENDED
}
