package io.verbena.web;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.Set;

/**
 * The connections of a server. Those that have not shown the token are few, and the oldest of them ends for a new one: a request
 * takes milliseconds, and others cannot keep it out by connections that send nothing. All together are a small part of the
 * descriptors of a process, which belong to its service.
 */
final class Connections implements AutoCloseable {

    /** Maximum number of connections that have not shown the token. */
    static final int MOST_UNKNOWN = 64;

    private final int mostKnown;
    private final SequencedSet<SocketChannel> unknown = new LinkedHashSet<>();
    private final Set<SocketChannel> known = new HashSet<>();
    private boolean closed;

    Connections(int mostKnown) {
        this.mostKnown = mostKnown;
    }

    /** A connection was accepted. */
    synchronized void add(SocketChannel connection) {
        if (closed) {
            close(connection);
            return;
        }
        if (unknown.size() >= MOST_UNKNOWN) {
            close(unknown.removeFirst());
        }
        unknown.add(connection);
    }

    /** A connection has shown the token. Returns whether there is a place for it. */
    synchronized boolean know(SocketChannel connection) {
        if (known.size() >= mostKnown) {
            return false;
        }
        unknown.remove(connection);
        return known.add(connection);
    }

    /** Closes a connection. */
    synchronized void remove(SocketChannel connection) {
        unknown.remove(connection);
        known.remove(connection);
        close(connection);
    }

    /** Number of connections that are open. */
    synchronized int size() {
        return unknown.size() + known.size();
    }

    /** Closes all connections, and each that is accepted from now on. */
    @Override
    public synchronized void close() {
        closed = true;
        unknown.forEach(Connections::close);
        known.forEach(Connections::close);
    }

    private static void close(SocketChannel connection) {
        try {
            connection.close();
        } catch (IOException e) {
            return; // it is closed nevertheless
        }
    }
}
