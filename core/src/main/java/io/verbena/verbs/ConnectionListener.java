package io.verbena.verbs;

/** Told of a connection's changes of state. */
@FunctionalInterface
public interface ConnectionListener {

    void onState(Connection connection, ConnectionState state);
}
