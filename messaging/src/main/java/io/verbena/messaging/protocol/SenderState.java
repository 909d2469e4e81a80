package io.verbena.messaging.protocol;

/** The sender of one direction of a virtual channel (the seed's Fig. 3). */
public enum SenderState {
    /** The peer was asked for buffers, and nothing of its acknowledgement has been seen (348 to 350). */
    REQUESTED,
    /** The acknowledgement's head flag has changed, its tail flag has not. */
    HEAD_SEEN,
    /** The acknowledgement is here; the sender's own buffers are being provisioned (354, Fig. 4). */
    PROVISIONING,
    /** Buffers are there on both sides, and elements go through them (340, 356). */
    SETTLED,
    /** The channel is over. */
    ENDED
}
