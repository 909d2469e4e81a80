package io.verbena.sockets.ring.channel;

import io.verbena.verbs.HostWait;
import java.util.Optional;

/** Watches the TCP connections of sockets whose threads sleep in the shared memory, where the end of a peer wakes no one. */
public interface LineWatch {

    /** A wait for two words; empty if this process has none. */
    Optional<HostWait> newWait();

    /** Calls {@link RingSocket#onWatched} when the connection of the socket can be read, until that returns false. Any thread; does not wait. */
    void watch(RingSocket socket);

    /** The connection of a socket that was watched has been closed. */
    void forget();
}
