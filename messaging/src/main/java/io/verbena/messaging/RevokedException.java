package io.verbena.messaging;

import io.verbena.messaging.channel.MessagingException;

/** A rank has revoked the communicator of an operation (MPI_ERR_REVOKED of ULFM): only agree and shrink are possible on it. */
public class RevokedException extends MessagingException {
    private static final long serialVersionUID = 1L;

    public RevokedException(String sentence) {
        super(sentence);
    }
}
