package io.verbena.verbs;

/**
 * How a TCP stream in ordinary use becomes an RDMA connection (seed closing-connections; RFC 5044 section 7.1).
 *
 * @param initiator whether this side sends the MPA Request
 * @param alreadyRead bytes that the application has read from the stream and that belong to RDMA mode
 * @param lastStreamMessage a last message of the application that goes out with the switch
 * @param options as for any connection
 */
public record StreamConversion(
        boolean initiator, byte[] alreadyRead, byte[] lastStreamMessage, ConnectionOptions options) {

    /** Keeps its own copies. */
    public StreamConversion {
        alreadyRead = alreadyRead.clone();
        lastStreamMessage = lastStreamMessage.clone();
    }

    @Override
    public byte[] alreadyRead() {
        return alreadyRead.clone();
    }

    @Override
    public byte[] lastStreamMessage() {
        return lastStreamMessage.clone();
    }
}
