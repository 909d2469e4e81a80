package io.verbena.tools.sim;

import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.Figures;
import io.verbena.verbs.Rnic;
import io.verbena.web.ProcessFigures;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A simulated world at a pace at which people see what happens. Its thread counts events; others read the figures of its RNICs. */
final class WatchedWorld {

    private static final long SECOND_NS = 1_000_000_000;

    private final String command;
    private final long pauseNs;
    private volatile List<VirtualHost> hosts = List.of();
    private Optional<World> world = Optional.empty();

    WatchedWorld(String command, int eventsPerSecond) {
        this.command = command;
        pauseNs = SECOND_NS / eventsPerSecond;
    }

    /** The world is about to begin. */
    void of(World begun) {
        world = Optional.of(begun);
    }

    /** An event has happened. In the thread of the world, which alone changes its list of hosts. */
    void event() {
        hosts = world.map(World::hosts).orElse(hosts);
        LockSupport.parkNanos(pauseNs);
    }

    List<Figures> figures() {
        List<Figures> rnics =
                hosts.stream().map(VirtualHost::rnic).map(Rnic::figures).toList();
        return List.of(ProcessFigures.of(command, rnics));
    }
}
