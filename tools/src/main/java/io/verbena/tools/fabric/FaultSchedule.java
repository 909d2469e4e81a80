package io.verbena.tools.fabric;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.link.LinkTiming;
import io.verbena.fabric.node.Wiring;
import io.verbena.sim.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;

/** Faults in the order of their times, with the nodes and ports that they happen to. */
public final class FaultSchedule {

    private static final double PICOSECONDS = 1_000;

    /** A fault whose nodes were found. */
    private record Event(long afterNs, FaultAction action) {}

    private interface FaultAction {
        void happen(FaultTarget target);
    }

    private final Wiring wiring;
    private final NodeNames names;
    private final List<Event> events = new ArrayList<>();
    private int next;

    /**
     * Finds the nodes and links.
     *
     * @throws IllegalArgumentException if one does not exist
     */
    public FaultSchedule(List<Fault> faults, NodeNames names, Wiring wiring) {
        this.wiring = wiring;
        this.names = names;
        for (Fault fault : faults) {
            events.add(new Event(fault.afterNs(), action(fault)));
        }
        events.sort(Comparator.comparingLong(Event::afterNs));
    }

    /** Number of faults. */
    public int size() {
        return events.size();
    }

    private FaultAction action(Fault fault) {
        boolean works = fault.kind() == Fault.Kind.UP;
        if (fault.other().isPresent()) {
            List<Integer> ports = links(fault.node(), fault.other().get());
            return switch (fault.kind()) {
                case ERRORS -> target -> bothEnds(ports, port -> target.errors(port, fault.value()));
                case CREDITS -> target -> bothEnds(ports, port -> target.credits(port, fault.value()));
                default -> target -> ports.forEach(port -> target.link(port, works));
            };
        }
        List<Integer> nodes = names.nodes(fault.node());
        if (fault.kind() == Fault.Kind.SLOW) {
            return target -> nodes.forEach(node -> slow(target, node, fault.value()));
        }
        return target -> nodes.forEach(node -> target.node(node, works));
    }

    private void bothEnds(List<Integer> ports, IntConsumer change) {
        ports.forEach(port -> {
            change.accept(port);
            change.accept(wiring.peer(port));
        });
    }

    private List<Integer> links(String one, String other) {
        List<Integer> ends = names.nodes(other);
        List<Integer> ports = new ArrayList<>();
        for (int node : names.nodes(one)) {
            for (int port = wiring.port(node, 1); port < wiring.port(node, 1) + wiring.portCount(node); port++) {
                if (wiring.peer(port) >= 0 && ends.contains(wiring.nodeOf(wiring.peer(port)))) {
                    ports.add(port);
                }
            }
        }
        if (ports.isEmpty()) {
            throw new IllegalArgumentException("no link connects '" + one + "' and '" + other + "'");
        }
        return ports;
    }

    private void slow(FaultTarget target, int node, double flitTimes) {
        if (wiring.isSwitch(node)) {
            return;
        }
        for (int port = wiring.port(node, 1); port < wiring.port(node, 1) + wiring.portCount(node); port++) {
            target.slow(port, (int) (flitTimes * wiring.timing(port).flitTicks()));
        }
    }

    /** The faults happen in the time of a network, from now on. */
    public void start(San san) {
        start(san.world(), FaultTarget.of(san));
    }

    /** The faults happen to a target in virtual time, from now on. */
    public void start(World world, FaultTarget target) {
        for (Event event : events) {
            world.after(Math.max(1, event.afterNs()), () -> event.action().happen(target));
        }
    }

    /**
     * Lets a time pass and the faults in it happen.
     *
     * @param fromTicks time since the beginning
     * @param target what the faults happen to
     * @param pass lets a number of ticks pass
     */
    public void run(long fromTicks, long ticks, FaultTarget target, LongConsumer pass) {
        long at = fromTicks;
        long end = fromTicks + ticks;
        while (next < events.size() && tick(events.get(next)) < end) {
            Event event = events.get(next++);
            pass.accept(tick(event) - at);
            at = tick(event);
            event.action().happen(target);
        }
        pass.accept(end - at);
    }

    private static long tick(Event event) {
        return (long) (event.afterNs() * PICOSECONDS / LinkTiming.PICOSECONDS_PER_TICK);
    }
}
