package io.verbena.messaging.channel;

import io.verbena.verbs.RemoteRegion;

/** Kinds of the elements that ranks exchange. The comments name the content of the word and of the payload. */
public final class ElementKind {

    /** A whole message. Word: bytes of the other direction that receives have taken. */
    public static final int EAGER = 1;

    /** Announces a message that the receiver reads. Word: its length; payload: its address and the number of the send. */
    public static final int REQUEST = 2;

    /** A message was read. Word: the number of the send; payload: numbers of further sends. */
    public static final int READ_DONE = 3;

    /** Announces a message that the sender writes. Word: its length; payload: the number of the send. */
    public static final int OFFER = 4;

    /** Reply to an offer. Word: the number of the send; payload: the address of the receive's buffer and the number of the receive. */
    public static final int GRANT = 5;

    /** A message was written. Word: the number of the receive; payload: numbers of further receives. */
    public static final int WRITTEN = 6;

    /** Word: bytes that receives have taken, if no message carries it. */
    public static final int CREDIT = 7;

    /** The sender is about to close its communicator. */
    public static final int FAREWELL = 8;

    /** Word: a rank that has died. */
    public static final int DIED = 9;

    /** A receiver has abandoned the collective operation of a message. Word: the number of the send; payload: numbers of further sends. */
    public static final int DECLINED = 10;

    /** The sender closes its communicator and starts no more messages of the context of this element. They have all been sent before. */
    public static final int LEAVING = 11;

    /** Collective operations of a communicator are no longer possible. Word: the number of the communicator, above 8 bits with the reason. */
    public static final int REVOKED = 12;

    /** Longest payload of an element other than EAGER; the buffers of every phase hold it. */
    public static final int MAX_CONTROL_BYTES = RemoteRegion.ENCODED_BYTES + Integer.BYTES;

    private ElementKind() {}
}
