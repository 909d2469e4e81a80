package io.verbena.host;

import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import java.io.IOException;

/**
 * Failures of the JDK's channels, by reason. The JDK hands on the system's error number as text only, so this class is the one
 * place that decides by the text of a message.
 */
final class JdkFailure {

    private JdkFailure() {}

    /** The same failure, as a {@link StreamException} if its reason is one that is told apart. */
    static IOException typed(IOException failure) {
        String message = failure.getMessage();
        if (message == null || failure instanceof StreamException) {
            return failure;
        }
        return switch (message) {
            case "Connection refused" -> typed(Reason.REFUSED, failure);
            case "Connection timed out" -> typed(Reason.PEER_SILENT, failure);
            case "Bad address" -> typed(Reason.MEMORY_GONE, failure);
            default -> failure;
        };
    }

    private static StreamException typed(Reason reason, IOException failure) {
        StreamException typed = new StreamException(reason, failure.getMessage());
        typed.initCause(failure);
        return typed;
    }
}
