package io.verbena.ib.cm;

/**
 * The properties that a responder accepts, as contained in a REP.
 *
 * @param endpoint the responder's end
 * @param receiverNotReadyRetries RNR retry count that the other side must use
 * @param privateData complete private data. Four bytes that exceed the
 *     field are the attribute modifier of the datagram
 */
public record CmAnswer(CmEndpoint endpoint, int receiverNotReadyRetries, byte[] privateData) {

    /** Copies the private data. */
    public CmAnswer {
        privateData = privateData.clone();
    }

    @Override
    public byte[] privateData() {
        return privateData.clone();
    }
}
