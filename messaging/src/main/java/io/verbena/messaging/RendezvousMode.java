package io.verbena.messaging;

/** How a large message goes from user memory to user memory; the sender's choice. */
public enum RendezvousMode {
    /**
     * The receiver reads it (RDMA Read). A rank learns keys to what its peers send it, and to nothing that they receive into.
     * Those keys stay good as long as the registration is kept.
     */
    READ,
    /**
     * The sender writes it (RDMA Write) where the receiver says. One message fewer travels behind the data; the memory of each
     * receive is registered for that message only.
     */
    WRITE
}
