package io.verbena.host;

import io.verbena.host.epoll.EpollLoop;
import io.verbena.port.faults.FaultPlan;
import io.verbena.rnic.SoftRnic;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.VerbsException;

/** The software RNIC with iWARP over the TCP of the operating system: works wherever Java has sockets. */
public final class IwarpProvider implements RnicProvider {

    /** For {@link java.util.ServiceLoader}. */
    public IwarpProvider() {}

    @Override
    public String name() {
        return "iwarp";
    }

    @Override
    public String description() {
        String obstacle = EpollLoop.obstacle();
        return "Software RNIC: iWARP (RDMAP over DDP over MPA) over the TCP of the operating system. "
                + (obstacle.isEmpty()
                        ? "It calls the sockets of Linux directly."
                        : "It uses the sockets of the JDK. " + obstacle);
    }

    @Override
    public int priority() {
        return 100;
    }

    @Override
    public String obstacle() {
        return "";
    }

    @Override
    public RnicAttributes describe(RnicOptions options) {
        return SoftRnic.attributes(options, new IwarpTransport());
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
        HostEnvironment environment = new HostEnvironment(options, faults);
        return environment.open(() -> new SocketRnic(environment, options, new IwarpTransport()));
    }
}
