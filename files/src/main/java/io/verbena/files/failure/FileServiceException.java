package io.verbena.files.failure;

import io.verbena.text.PeerText;

/** A file cannot be served or copied. The message is one sentence for people, which may quote the peer (see {@link PeerText}). */
public class FileServiceException extends Exception {

    private static final long serialVersionUID = 1L;

    /** With a sentence that says what happened and what to do. */
    public FileServiceException(String sentence) {
        super(sentence);
    }

    /** The same for a failure that another one caused. */
    public FileServiceException(String sentence, Throwable cause) {
        super(sentence, cause);
    }
}
