package io.verbena.verbs;

import java.util.Optional;
import java.util.function.Function;

/**
 * How a TCP stream in ordinary use becomes an RDMA connection (seed closing-connections; RFC 5044 section 7.1). The two
 * applications agree, in whatever they speak over the stream, who is the initiator, and that everything before the switch has
 * been read. A responder switches first: it hands over its stream together with the message that tells the initiator to go
 * ahead ({@link #withLastStreamMessage}), so that no FPDU can be taken for streaming data.
 *
 * @param initiator whether this side sends the MPA Request
 * @param alreadyRead bytes that the application has read from the stream and that belong to what follows the switch
 * @param lastStreamMessage a last message of the application that goes out with the switch
 * @param options as for any connection
 * @param rejection looks at the private data of the initiator's request, on a thread of the RNIC that may block, with
 *     an INLINE RNIC on the owner's: empty accepts, anything else rejects with these bytes as the word for the initiator; what
 *     throws rejects; for a responder
 */
public record StreamConversion(
        boolean initiator,
        byte[] alreadyRead,
        byte[] lastStreamMessage,
        ConnectionOptions options,
        Function<byte[], Optional<byte[]>> rejection) {

    /** Most bytes that may have been read already, or go out as last message. */
    public static final int MOST_BYTES = 64 * 1024;

    /** Keeps its own copies. */
    public StreamConversion {
        if (alreadyRead.length > MOST_BYTES || lastStreamMessage.length > MOST_BYTES) {
            throw new IllegalArgumentException(
                    "bytes already read, and the last message, are " + MOST_BYTES + " at most");
        }
        alreadyRead = alreadyRead.clone();
        lastStreamMessage = lastStreamMessage.clone();
    }

    /** The side that sends the MPA Request. */
    public static StreamConversion asInitiator() {
        return new StreamConversion(
                true, new byte[0], new byte[0], ConnectionOptions.defaults(), any -> Optional.empty());
    }

    /** The side that answers it; accepts every request. */
    public static StreamConversion asResponder() {
        return new StreamConversion(
                false, new byte[0], new byte[0], ConnectionOptions.defaults(), any -> Optional.empty());
    }

    public StreamConversion withAlreadyRead(byte[] bytes) {
        return new StreamConversion(initiator, bytes, lastStreamMessage, options, rejection);
    }

    public StreamConversion withLastStreamMessage(byte[] message) {
        return new StreamConversion(initiator, alreadyRead, message, options, rejection);
    }

    public StreamConversion withOptions(ConnectionOptions value) {
        return new StreamConversion(initiator, alreadyRead, lastStreamMessage, value, rejection);
    }

    /** A responder that may say no: given the request's private data, empty accepts, bytes reject. */
    public StreamConversion withRejection(Function<byte[], Optional<byte[]>> value) {
        return new StreamConversion(initiator, alreadyRead, lastStreamMessage, options, value);
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
