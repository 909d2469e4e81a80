package io.verbena.messaging;

/** Direction of the transfer of a large message from user memory to user memory; chosen by the sender. */
public enum RendezvousMode {
    /**
     * The receiver reads the message (RDMA Read). A rank learns keys to messages that its peers send to it, and no keys to their receive
     * buffers. The keys are valid as long as the registration is kept.
     */
    READ,
    /**
     * The sender writes the message (RDMA Write) into memory that the receiver grants. One message less follows the data; the memory of
     * each receive is registered for its message only.
     */
    WRITE
}
