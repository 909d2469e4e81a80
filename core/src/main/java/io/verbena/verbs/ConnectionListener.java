package io.verbena.verbs;

/** Receives the changes of state of a connection; see {@link Connection#onStateChange}. */
@FunctionalInterface
public interface ConnectionListener {

    void onState(Connection connection, ConnectionState state);
}
