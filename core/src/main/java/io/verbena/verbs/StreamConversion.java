package io.verbena.verbs;

import java.util.Optional;
import java.util.function.Function;

/**
 * Parameters for the conversion of a TCP stream in ordinary use into an RDMA connection (RFC 5044 section 7.1). The two
 * applications agree, in their own protocol, which of them is the initiator and that all bytes before the conversion
 * have been read. The responder converts first: it passes its stream together with the message that lets the initiator
 * proceed ({@link #withLastStreamMessage}), so that no FPDU can be mistaken for streaming data.
 *
 * @param initiator whether this side sends the MPA Request
 * @param alreadyRead bytes that the application has read from the stream but that follow the conversion
 * @param lastStreamMessage last message of the application, sent with the conversion
 * @param options as for any connection
 * @param rejection responder only: receives the private data of the MPA Request and returns empty to accept it, or
 *     private data for the rejection. An exception rejects too. Runs on a thread of the RNIC, where it may block, or on
 *     the owner's thread if the RNIC is INLINE
 * @param offersMemory initiator only: whether shared memory is offered before the MPA Request, if both ends are on this host and the
 *     provider of the RNIC has it. The responder must be a Verbena
 */
public record StreamConversion(
        boolean initiator,
        byte[] alreadyRead,
        byte[] lastStreamMessage,
        ConnectionOptions options,
        Function<byte[], Optional<byte[]>> rejection,
        boolean offersMemory) {

    /** Maximum length of the bytes already read, and of the last message. */
    public static final int MOST_BYTES = 64 * 1024;

    /** Copies the arrays and checks their lengths. */
    public StreamConversion {
        if (alreadyRead.length > MOST_BYTES || lastStreamMessage.length > MOST_BYTES) {
            throw new IllegalArgumentException("alreadyRead and lastStreamMessage are limited to " + MOST_BYTES
                    + " bytes each, not " + alreadyRead.length + " and " + lastStreamMessage.length);
        }
        alreadyRead = alreadyRead.clone();
        lastStreamMessage = lastStreamMessage.clone();
    }

    /** The side that sends the MPA Request. */
    public static StreamConversion asInitiator() {
        return new StreamConversion(
                true, new byte[0], new byte[0], ConnectionOptions.defaults(), any -> Optional.empty(), false);
    }

    /** The side that answers the MPA Request; accepts every request. */
    public static StreamConversion asResponder() {
        return new StreamConversion(
                false, new byte[0], new byte[0], ConnectionOptions.defaults(), any -> Optional.empty(), false);
    }

    public StreamConversion withAlreadyRead(byte[] bytes) {
        return new StreamConversion(initiator, bytes, lastStreamMessage, options, rejection, offersMemory);
    }

    public StreamConversion withLastStreamMessage(byte[] message) {
        return new StreamConversion(initiator, alreadyRead, message, options, rejection, offersMemory);
    }

    public StreamConversion withOptions(ConnectionOptions value) {
        return new StreamConversion(initiator, alreadyRead, lastStreamMessage, value, rejection, offersMemory);
    }

    /**
     * A responder that can reject: the function receives the private data of the request; empty accepts, bytes reject.
     */
    public StreamConversion withRejection(Function<byte[], Optional<byte[]>> value) {
        return new StreamConversion(initiator, alreadyRead, lastStreamMessage, options, value, offersMemory);
    }

    /** An initiator that offers shared memory first. */
    public StreamConversion withMemoryOffer(boolean value) {
        return new StreamConversion(initiator, alreadyRead, lastStreamMessage, options, rejection, value);
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
