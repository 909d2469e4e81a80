package io.verbena.fabric.manager;

import io.verbena.base.Times;
import io.verbena.fabric.mad.Notice;
import io.verbena.fabric.mad.Smp;
import io.verbena.fabric.mad.SmpHeader;
import io.verbena.fabric.management.Delivery;
import io.verbena.fabric.management.Delivery.Outcome;
import io.verbena.fabric.management.ManagedFabric;
import io.verbena.fabric.topology.Node;
import io.verbena.fabric.topology.NodeKind;
import io.verbena.wire.ib.MadHeader;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** A subnet manager at a port of a fabric: carries its datagrams, in virtual time. */
public final class ManagedSubnet {

    private final ManagedFabric fabric;
    private final SubnetManager manager;
    private final int node;
    private final int port;
    private final MemorySegment mad = MemorySegment.ofArray(new byte[SmpHeader.MAD_LENGTH]);
    private final MadHeader header = new MadHeader();
    private long nowNs;

    /** A manager at this port, which has not begun. */
    public ManagedSubnet(ManagedFabric fabric, int node, int port, SubnetManager.Options options) {
        this.fabric = fabric;
        this.node = node;
        this.port = port;
        manager = new SubnetManager(options);
    }

    /** A manager at the first port of an adapter that has a cable; empty if there is none. */
    public static Optional<ManagedSubnet> atFirstAdapter(ManagedFabric fabric, SubnetManager.Options options) {
        for (Node node : fabric.topology().nodes(NodeKind.ADAPTER)) {
            for (int port = 1; port <= node.ports(); port++) {
                if (fabric.topology().cableAt(node.index(), port) >= 0) {
                    return Optional.of(new ManagedSubnet(fabric, node.index(), port, options));
                }
            }
        }
        return Optional.empty();
    }

    /** The manager. */
    public SubnetManager manager() {
        return manager;
    }

    /** The virtual time. */
    public long nowNs() {
        return nowNs;
    }

    /**
     * Lets the manager work until the subnet is up and nothing has changed, or until this much virtual time has passed. The first call
     * begins.
     *
     * @return whether the subnet is up
     */
    public boolean bringUp(long mostNs) {
        long endNs = Times.after(nowNs, mostNs);
        if (manager.sweeps() == 0) {
            manager.sweep(nowNs);
        }
        while (true) {
            takeTraps(nowNs);
            exchange();
            if (manager.up() && fabric.nextDeadlineNs(nowNs) == Times.NEVER) {
                return true;
            }
            long nextNs = Times.earlier(manager.nextDeadlineNs(), fabric.nextDeadlineNs(nowNs));
            if (nextNs == Times.NEVER || nextNs - endNs > 0) {
                return manager.up();
            }
            nowNs = nextNs - nowNs > 0 ? nextNs : nowNs;
            manager.onTime(nowNs);
        }
    }

    private void exchange() {
        while (manager.poll(mad, nowNs)) {
            Delivery delivery = send(mad);
            if (delivery.outcome() == Outcome.ANSWERED) {
                manager.onResponse(mad);
            }
        }
    }

    /** Sends a datagram of the manager, which contains the response afterwards if the outcome is ANSWERED. */
    public Delivery send(MemorySegment request) {
        return fabric.send(node, port, 0, request);
    }

    /** Passes traps that are due on to the manager and acknowledges them. */
    public void takeTraps(long atNs) {
        takeTraps(List.of(this), atNs);
    }

    /** Passes traps that are due on to the managers of a fabric's subnets that they are addressed to, and acknowledges them. */
    public static void takeTraps(List<ManagedSubnet> managers, long atNs) {
        ManagedSubnet any = managers.getFirst();
        Optional<Delivery> trap = any.fabric.pollTrap(atNs, any.mad);
        while (trap.isPresent()) {
            Delivery delivery = trap.get();
            for (ManagedSubnet each : managers) {
                if (delivery.outcome() == Outcome.FORWARDED
                        && delivery.node() == each.node
                        && delivery.port() == each.port) {
                    each.onTrap(any.mad);
                }
            }
            trap = any.fabric.pollTrap(atNs, any.mad);
        }
    }

    private void onTrap(MemorySegment trap) {
        if (header.wrap(trap, 0).method() == Smp.TRAP) {
            manager.onTrap(trap);
            int issuer = new Notice().wrap(trap, SmpHeader.DATA).issuerLid();
            manager.acknowledge(trap);
            fabric.send(node, port, issuer, trap);
        }
    }
}
