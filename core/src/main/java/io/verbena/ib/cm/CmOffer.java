package io.verbena.ib.cm;

/**
 * The properties that a requester proposes, as contained in a REQ.
 *
 * @param serviceId the requested service
 * @param transportService 0 RC, 1 UC, 2 RD
 * @param endpoint the requester's end
 * @param mtuCode path MTU, 1 to 5 for 256 to 4096
 * @param retries of both sides
 * @param privateData complete private data, including the header of rdma_cm if present. Four bytes that exceed the
 *     field are the attribute modifier of the datagram
 */
public record CmOffer(
        long serviceId, int transportService, CmEndpoint endpoint, int mtuCode, CmRetries retries, byte[] privateData) {

    /** The transport service RD, which connects end-to-end contexts instead of queue pairs. */
    public static final int RELIABLE_DATAGRAM = 2;

    /** Copies the private data. */
    public CmOffer {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
