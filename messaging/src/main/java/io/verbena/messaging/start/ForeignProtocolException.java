package io.verbena.messaging.start;

import java.io.IOException;

/** The peer of a socket does not use the protocol of the meeting. */
final class ForeignProtocolException extends IOException {
    private static final long serialVersionUID = 1L;

    ForeignProtocolException() {
        super("the peer does not use this protocol");
    }
}
