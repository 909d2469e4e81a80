package io.verbena.verbs;

/**
 * Address of a datagram service (rdma_ud_param).
 *
 * @param address attributes for an address handle
 * @param queuePairNumber queue pair number of the service
 * @param qkey Q_Key of the service
 * @param privateData private data that the application of the service sent
 */
public record DatagramPeer(AddressHandleAttributes address, int queuePairNumber, int qkey, byte[] privateData) {

    /** Copies the private data. */
    public DatagramPeer {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
