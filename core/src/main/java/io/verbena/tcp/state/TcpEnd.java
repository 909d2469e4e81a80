package io.verbena.tcp.state;

import io.verbena.port.StreamException;
import java.io.IOException;

/** Why a connection ended other than by both FINs. */
public enum TcpEnd {
    REFUSED("Connection refused"),
    RESET("Connection reset by the peer"),
    SILENT("Connection timed out: the peer acknowledges nothing"),
    UNREACHABLE("No route to the host"),
    CARRIER("The network device or port of the connection is gone"),
    LOCAL("The connection was closed on this side");

    private final String sentence;

    TcpEnd(String sentence) {
        this.sentence = sentence;
    }

    public String sentence() {
        return sentence;
    }

    /** The exception that reports this end. */
    public IOException exception() {
        return switch (this) {
            case REFUSED -> new StreamException(StreamException.Reason.REFUSED, sentence);
            case SILENT -> new StreamException(StreamException.Reason.PEER_SILENT, sentence);
            case RESET -> new StreamException(StreamException.Reason.RESET, sentence);
            case UNREACHABLE, CARRIER, LOCAL -> new IOException(sentence);
        };
    }
}
