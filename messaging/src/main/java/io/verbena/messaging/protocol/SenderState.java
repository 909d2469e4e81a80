package io.verbena.messaging.protocol;

/** States of the sender of one direction of a virtual channel. */
public enum SenderState {
    /** Buffers were requested from the peer, and nothing of its acknowledgement has arrived. */
    REQUESTED,
    /** The head flag of the acknowledgement has arrived, its tail flag has not. */
    HEAD_SEEN,
    /** The acknowledgement has arrived; the staging buffers of the sender are being provisioned. */
    PROVISIONING,
    /** Both sides have their buffers, and elements can be sent. */
    SETTLED,
    /** The channel has ended. */
    ENDED
}
