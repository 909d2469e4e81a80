package io.verbena.host;

import io.verbena.host.segment.HostSharedMemory;
import io.verbena.host.segment.OwnSharing;
import io.verbena.host.system.BufferedRandom;
import io.verbena.host.system.Machine;
import io.verbena.port.faults.FaultPlan;
import io.verbena.port.faults.PacketFaults;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.HostSharing;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/**
 * The software RNIC between processes of one host: iWARP whose streams are rings in memory that both processes have. A socket
 * of each connection sets it up, wakes a sleeping side and shows the death of the peer.
 */
public final class SharedMemoryProvider implements RnicProvider {

    /** For {@link java.util.ServiceLoader}. */
    public SharedMemoryProvider() {}

    @Override
    public String name() {
        return "shm";
    }

    @Override
    public String description() {
        return "Software RNIC: iWARP through memory shared by the processes of one user on this host. "
                + (Machine.obstacleToLinux().isEmpty()
                        ? "The size of the memory is sealed."
                        : "The memory is a file in /dev/shm without a name. " + Machine.obstacleToLinux());
    }

    @Override
    public int priority() {
        return 40;
    }

    @Override
    public String obstacle() {
        return HostSharedMemory.unavailable();
    }

    private static IwarpTransport transport() {
        return new IwarpTransport("shm", TransportType.SHARED_MEMORY);
    }

    @Override
    public Optional<HostSharing> hostSharing() {
        return obstacle().isEmpty() ? Optional.of(OwnSharing.ofThisProcess()) : Optional.empty();
    }

    @Override
    public RnicAttributes describe(RnicOptions options) {
        return SoftRnic.attributes(options, transport());
    }

    @Override
    public Rnic open(RnicOptions options) {
        return open(options, FaultPlan.none());
    }

    /**
     * Opens an RNIC with faults on every connection, to test the reaction of an application.
     *
     * @throws VerbsException if an option cannot be satisfied
     */
    public Rnic open(RnicOptions options, FaultPlan faults) {
        HostEnvironment.checkProvider(options, name());
        if (!obstacle().isEmpty()) {
            throw new VerbsException(obstacle());
        }
        HostSharedMemory.sweep();
        HostEnvironment environment = new HostEnvironment(
                options,
                faults,
                PacketFaults.none(),
                Optional.of(new HostSharedMemory(new BufferedRandom(), options.iwarp())),
                true);
        return environment.open(() -> new SocketRnic(environment, options, transport()));
    }
}
