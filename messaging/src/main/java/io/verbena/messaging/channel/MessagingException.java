package io.verbena.messaging.channel;

/** An operation failed: the peer is lost, or the message cannot be sent or received any more. */
public class MessagingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MessagingException(String sentence) {
        super(sentence);
    }

    public MessagingException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
