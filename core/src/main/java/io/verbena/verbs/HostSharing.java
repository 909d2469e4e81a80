package io.verbena.verbs;

import java.net.SocketAddress;

/**
 * What a process shares with others of its user on this host, without an RNIC: memory, and the addresses at which it accepts that. See {@link
 * RnicProvider#hostSharing()}. An RNIC of the same provider announces and finds the same addresses.
 */
public interface HostSharing {

    /** Memory for protocols of the program. */
    HostMemory memory();

    /** As {@link Rnic#announce}. */
    AnnouncedAddress announce(SocketAddress listening);

    /** As {@link Rnic#announced}. */
    boolean announced(SocketAddress remote);
}
