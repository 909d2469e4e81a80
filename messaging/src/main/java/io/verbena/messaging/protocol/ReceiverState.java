package io.verbena.messaging.protocol;

/** The receiver of one direction of a virtual channel (the seed's Fig. 6). */
public enum ReceiverState {
    /** Buffers of the wanted size are being provisioned (682). */
    PROVISIONING,
    /** The channel uses them (683); the acknowledgement has yet to leave (684). */
    ACKNOWLEDGING,
    /** Elements are received through the buffers there are, whatever is coming (681). */
    RECEIVING,
    /** The channel is over. */
    ENDED
}
