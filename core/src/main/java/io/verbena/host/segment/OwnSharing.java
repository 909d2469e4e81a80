package io.verbena.host.segment;

import io.verbena.shm.Announcements;
import io.verbena.shm.SharedMemory;
import io.verbena.verbs.AnnouncedAddress;
import io.verbena.verbs.HostMemory;
import io.verbena.verbs.HostSharing;
import java.net.SocketAddress;

/** The names and the memory of this process. */
public record OwnSharing(HostMemory memory, Announcements announcements) implements HostSharing {

    /** Of this process. */
    public OwnSharing(SharedMemory memory) {
        this(new OwnMemory(memory), AbstractNames.ofThisProcess());
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
