package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;

/** A message was longer than the buffer of its receive (MPI_ERR_TRUNCATE). The buffer has the first bytes of the message. */
public class TruncatedException extends MessagingException {
    private static final long serialVersionUID = 1L;

    private final long messageBytes;

    public TruncatedException(String sentence, long messageBytes) {
        super(sentence);
        this.messageBytes = messageBytes;
    }

    /** Length of the whole message in bytes. */
    public long messageBytes() {
        return messageBytes;
    }
}
