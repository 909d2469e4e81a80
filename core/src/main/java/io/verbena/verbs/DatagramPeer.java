package io.verbena.verbs;

/**
 * Where a datagram service can be reached (rdma_ud_param).
 *
 * @param address attributes for an address handle
 * @param queuePairNumber the peer's queue pair
 * @param qkey its Q_Key
 * @param privateData what its application sent along
 */
public record DatagramPeer(AddressHandleAttributes address, int queuePairNumber, int qkey, byte[] privateData) {

    /** Keeps its own copy. */
    public DatagramPeer {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
