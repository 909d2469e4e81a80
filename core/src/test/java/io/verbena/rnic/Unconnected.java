package io.verbena.rnic;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.Termination;
import io.verbena.verbs.TransportType;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;

/** A placeholder before a connection exists. */
enum Unconnected implements Connection {
    NONE;

    private static IllegalStateException none() {
        return new IllegalStateException("not connected");
    }

    @Override
    public QueuePair queuePair() {
        throw none();
    }

    @Override
    public ConnectionState state() {
        throw none();
    }

    @Override
    public TransportType transport() {
        throw none();
    }

    @Override
    public SocketAddress localAddress() {
        throw none();
    }

    @Override
    public SocketAddress remoteAddress() {
        throw none();
    }

    @Override
    public byte[] privateData() {
        throw none();
    }

    @Override
    public void awaitEstablished(Duration timeout) {
        throw none();
    }

    @Override
    public boolean awaitClosed(Duration timeout) {
        throw none();
    }

    @Override
    public void disconnect() {
        throw none();
    }

    @Override
    public String reason() {
        throw none();
    }

    @Override
    public Optional<Termination> termination() {
        throw none();
    }

    @Override
    public void onStateChange(ConnectionListener listener) {
        throw none();
    }

    @Override
    public void close() {}
}
