package io.verbena.messaging.channel;

import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.messaging.ring.Words;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.TransportType;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The connection under a channel, and the greeting of the peer. */
public final class ChannelConnection {

    private @Nullable Connection connection;
    private String peer = "";
    private byte[] peerHello = {};
    private RemoteRegion peerControl = new RemoteRegion(0, 0, 0);
    private Words peerWords = Words.IMMEDIATE_ONLY;

    /** Set-up has started; the greeting is known if the peer is the one that connects. */
    void start(Connection started, Optional<ChannelGreeting> greeting) {
        connection = started;
        peer = String.valueOf(started.remoteAddress());
        greeting.ifPresent(this::onGreeting);
    }

    private void onGreeting(ChannelGreeting greeting) {
        peerControl = greeting.control();
        peerWords = greeting.words();
        peerHello = greeting.hello();
    }

    /** State of the connection; CONNECTING before set-up starts. */
    ConnectionState state() {
        Connection currentConnection = connection;
        return currentConnection == null ? ConnectionState.CONNECTING : currentConnection.state();
    }

    /** The connection is established; returns whether the greeting of the peer is valid. */
    boolean established(int virtualChannels) {
        Connection currentConnection = connection;
        if (currentConnection == null || peerControl.length() > 0) {
            return currentConnection != null; // the greeting was checked when the peer connected
        }
        Optional<ChannelGreeting> greeting = ChannelGreeting.of(currentConnection.privateData());
        if (greeting.isEmpty() || greeting.get().virtualChannels() != virtualChannels) {
            return false;
        }
        onGreeting(greeting.get());
        return true;
    }

    /** How the peer can exchange words. */
    Words peerWords() {
        return peerWords;
    }

    RemoteRegion peerControl() {
        return peerControl;
    }

    byte[] peerHello() {
        return peerHello.clone();
    }

    /** Address of the peer. */
    String peer() {
        return peer;
    }

    /** Why the connection ended; empty while it lasts. */
    String reason() {
        Connection currentConnection = connection;
        return currentConnection == null ? "" : currentConnection.reason();
    }

    /** Returns whether bytes go through memory that both processes share. */
    boolean sharesMemory() {
        Connection currentConnection = connection;
        return currentConnection != null && currentConnection.transport() == TransportType.SHARED_MEMORY;
    }

    /** Returns whether the peer rejected the connection. */
    public boolean rejected() {
        return state() == ConnectionState.REJECTED;
    }

    /** Returns whether the RNIC of the peer rejected the connection because its application did not respond in time. */
    public boolean unanswered() {
        Connection currentConnection = connection;
        return currentConnection != null && rejected() && currentConnection.privateData().length == 0;
    }

    /** Returns whether either side closed the connection in the regular way. */
    public boolean closed() {
        return state() == ConnectionState.CLOSED;
    }

    /** Closes the connection in the regular way; returns false if set-up has not started. */
    boolean disconnect() {
        Connection currentConnection = connection;
        if (currentConnection == null) {
            return false;
        }
        currentConnection.disconnect();
        return true;
    }
}
