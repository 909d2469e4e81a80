package io.verbena.host.system;

import io.verbena.port.StreamException;
import io.verbena.port.StreamException.Reason;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/**
 * Failures of the JDK's channels, by reason. The JDK reports the error number of the system as text only, so this class is
 * the only place that classifies a failure by the text of a message.
 */
public final class JdkFailure {

    private JdkFailure() {}

    /** The failure, as a {@link StreamException} if its reason is one of {@link Reason}. */
    public static IOException typed(IOException failure) {
        if (failure instanceof ClosedChannelException) {
            // The RNIC uses no channel that it has closed itself.
            return new IOException("the application closed the socket", failure);
        }
        String message = failure.getMessage();
        if (message == null || failure instanceof StreamException) {
            return failure;
        }
        return switch (message) {
            case "Connection refused" -> typed(Reason.REFUSED, message, failure);
            case "Connection timed out" -> typed(Reason.PEER_SILENT, message, failure);
            case "Connection reset" -> typed(Reason.RESET, message, failure);
            case "Broken pipe" -> typed(Reason.PEER_ENDED, message, failure);
            case "Bad address" -> typed(Reason.MEMORY_GONE, message, failure);
            default -> failure;
        };
    }

    private static StreamException typed(Reason reason, String message, IOException failure) {
        StreamException typed = new StreamException(reason, message);
        typed.initCause(failure);
        return typed;
    }
}
