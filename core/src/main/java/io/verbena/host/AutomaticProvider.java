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
import io.verbena.verbs.TcpCarrier;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.VerbsException;
import java.util.Optional;

/**
 * The software RNIC that chooses for each connection: shared memory between processes of one host and user, otherwise iWARP
 * over TCP. The provider {@link IwarpProvider} forbids shared memory, and {@link SharedMemoryProvider} requires it.
 */
public final class AutomaticProvider implements RnicProvider {

    /** For {@link java.util.ServiceLoader}. */
    public AutomaticProvider() {}

    @Override
    public String name() {
        return "auto";
    }

    @Override
    public String description() {
        return "Software RNIC: iWARP, through shared memory or over TCP. "
                + (obstacleToMemory().isEmpty()
                        ? "Connections between processes of one user on this host use shared memory."
                        : "Every connection uses TCP. " + obstacleToMemory());
    }

    private static String obstacleToMemory() {
        String unavailable = HostSharedMemory.unavailable();
        return unavailable.isEmpty() ? Machine.obstacleToLinux() : unavailable;
    }

    @Override
    public int priority() {
        return 110;
    }

    @Override
    public String obstacle() {
        return "";
    }

    private static IwarpTransport transport() {
        return new IwarpTransport("auto", TransportType.IWARP);
    }

    @Override
    public Optional<HostSharing> hostSharing() {
        return obstacleToMemory().isEmpty() ? Optional.of(OwnSharing.ofThisProcess()) : Optional.empty();
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
     * @throws VerbsException if an option cannot be satisfied, for example a capture file that cannot be written
     */
    public Rnic open(RnicOptions options, FaultPlan faults) {
        HostEnvironment.checkProvider(options, name());
        boolean chooses = obstacleToMemory().isEmpty() && options.iwarp().tcp() == TcpCarrier.KERNEL;
        HostEnvironment environment = new HostEnvironment(
                options,
                faults,
                PacketFaults.none(),
                chooses ? Optional.of(new HostSharedMemory(new BufferedRandom(), options.iwarp())) : Optional.empty(),
                false);
        return environment.open(() -> new SocketRnic(environment, options, transport()));
    }
}
