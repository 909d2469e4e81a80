package io.verbena.shm;

import java.net.SocketAddress;

/** Where a listener states that it accepts shared memory, for the processes that could share it. */
public interface Announcements {

    /** States nothing and finds nothing. */
    Announcements NONE = new Announcements() {
        @Override
        public Announcement announce(SocketAddress local) {
            return () -> {};
        }

        @Override
        public boolean announced(SocketAddress remote) {
            return false;
        }
    };

    /**
     * States that the listener at this address accepts shared memory, until it is withdrawn or this process ends. If that
     * cannot be stated, peers connect without shared memory.
     */
    Announcement announce(SocketAddress local);

    /**
     * Whether a listener at this address has stated that it accepts shared memory. That is a hint and no proof: the listener
     * may end at any time, and another process may have stated it.
     */
    boolean announced(SocketAddress remote);

    /** The statement of a listener. */
    interface Announcement extends AutoCloseable {

        /** Withdraws it. */
        @Override
        void close();
    }
}
