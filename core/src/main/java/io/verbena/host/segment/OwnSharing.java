package io.verbena.host.segment;

import io.verbena.host.system.BufferedRandom;
import io.verbena.shm.Announcements;
import io.verbena.shm.SharedMemory;
import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostSharing;
import java.net.SocketAddress;

/** The names and the memory of this process. */
public record OwnSharing(HostMemory memory, Announcements announcements) implements HostSharing {

    /** With this memory. */
    public OwnSharing(SharedMemory memory) {
        this(new OwnMemory(memory), AbstractNames.ofThisProcess());
    }

    /** Without an RNIC. */
    public static HostSharing ofThisProcess() {
        return new OwnSharing(new HostSharedMemory(new BufferedRandom()));
    }

    @Override
    public AnnouncedAddress announce(SocketAddress listening) {
        return announcements.announce(listening)::close;
    }

    @Override
    public boolean announced(SocketAddress remote) {
        return announcements.announced(remote);
    }
}
