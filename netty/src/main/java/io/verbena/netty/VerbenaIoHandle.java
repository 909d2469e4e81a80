package io.verbena.netty;

import io.netty.channel.IoHandle;
import io.verbena.sockets.stream.StreamNetwork;

/** The side of a channel that {@link VerbenaIoHandler} sees. */
interface VerbenaIoHandle extends IoHandle {

    /**
     * The channel belongs to an event loop from now on.
     *
     * @param network where it connects or listens
     * @param signal to run when it becomes ready, in any thread
     * @throws IllegalStateException if the channel has a socket of another network
     */
    void attach(StreamNetwork network, Runnable signal);

    /** What the socket or listener is ready for, in bits of {@link SocketReadiness}. */
    int ready();
}
