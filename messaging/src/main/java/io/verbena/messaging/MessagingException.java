package io.verbena.messaging;

/** A peer is lost, or a message cannot come or go any more. */
public class MessagingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public MessagingException(String sentence) {
        super(sentence);
    }

    public MessagingException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
