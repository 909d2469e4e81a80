package io.verbena.sockets.stream;

import io.verbena.text.AddressText;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.time.Duration;

/** The exceptions that programs expect of a socket, for a connection that was not established. */
final class ConnectFailure {

    private ConnectFailure() {}

    static IOException of(Connection failed) {
        try {
            failed.awaitEstablished(Duration.ZERO);
        } catch (ConnectionException e) {
            return switch (e.kind()) {
                case REFUSED -> new ConnectException("Connection refused: " + e.getMessage());
                case TIMED_OUT -> new SocketTimeoutException("Connection timed out: " + e.getMessage());
                case REJECTED, FAILED -> new ConnectException(e.getMessage());
            };
        }
        return new ConnectException(failed.reason());
    }

    static IOException otherProtocol(Connection established) {
        return new ConnectException("The peer at " + AddressText.of(established.remoteAddress())
                + " accepted the connection but does not speak the protocol of stream sockets.");
    }
}
