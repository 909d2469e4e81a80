package io.verbena.fabric.endnode;

import io.verbena.base.PacketPath;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.FabricEvents;
import io.verbena.fabric.node.Wiring;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.ib.packet.SubnetView;
import io.verbena.port.Addresses;
import io.verbena.rnic.Transport;
import io.verbena.rnic.context.AdapterLimits;
import io.verbena.rnic.ib.InfinibandTransport;
import io.verbena.sim.PacketCarrier;
import io.verbena.sim.World;
import io.verbena.sim.lan.Lan;
import io.verbena.wire.ib.Lrh;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * Carries the packets of RNICs as frames of a fabric. A packet has its addresses in its LRH: it leaves by the port of its SLID, and
 * the tables of the switches forward it by its DLID.
 */
final class FabricCarrier implements PacketCarrier, FabricEvents {

    private final Fabric fabric;
    private final EndnodePorts ports;
    private final Subnets subnets;
    private final SubnetRouter router;
    private final AdapterSoftware software;
    private final Map<Integer, LanGateway> gateways = new HashMap<>();
    private final IntFunction<EndnodeView> views;
    private final int[] endports;
    private final FabricGroups groups;
    private final int lmc;
    private final List<Integer> endnodeOfHost = new ArrayList<>();
    private final InetAddress[] addresses;
    private final Lrh lrh = new Lrh();
    private final byte[] head = new byte[Lrh.LENGTH];
    private BiConsumer<InetAddress, byte[]> receiver = (host, packet) -> {};
    private PacketTap tap = PacketTap.NONE;
    private long sent;
    private long lost;
    private long next = NEVER;
    private Optional<World> world = Optional.empty();
    private long headLifeNs;
    private boolean watching;

    FabricCarrier(Wiring wiring, SanSettings settings, EndnodePorts ports, Subnets subnets) {
        this.ports = ports;
        this.subnets = subnets;
        groups = new FabricGroups(ports);
        views = endnode -> new EndnodeView(ports, subnets, settings, groups, endnode);
        router = new SubnetRouter(ports, subnets);
        software = new AdapterSoftware(ports.endnodes());
        fabric = new Fabric(wiring, settings.link(), settings.switches(), this);
        endports = wiring.endports();
        lmc = wiring.lmc();
        addresses = new InetAddress[ports.endnodes()];
        lrh.wrap(MemorySegment.ofArray(head), 0);
    }

    Fabric fabric() {
        return fabric;
    }

    FabricGroups groups() {
        return groups;
    }

    @Override
    public void join(InetAddress host, InetAddress group) throws IOException {
        groups.join(fabric, endnodeOf(host), Addresses.high(group), Addresses.low(group));
    }

    @Override
    public void leave(InetAddress host, InetAddress group) {
        groups.leave(fabric, endnodeOf(host), Addresses.high(group), Addresses.low(group));
    }

    private int endnodeOf(InetAddress host) {
        return ports.endnodeOf(PortIdentity.lid(Addresses.low(host)));
    }

    void tap(PacketTap observer) {
        tap = observer;
    }

    long sent() {
        return sent;
    }

    /** Packets without a destination, and those that a broken link has cut. */
    long lost() {
        return lost;
    }

    /** Changes the fabric at a time that has come. */
    void change(long nowNs, Consumer<Fabric> change) {
        fabric.run(Math.max(fabric.now(), FabricTime.tick(nowNs)));
        change.accept(fabric);
        next = FabricTime.ns(fabric.nextTick());
    }

    /** The World in whose time the fabric works. */
    void world(World value) {
        world = Optional.of(value);
    }

    /** Discards frames that stay where they are for so long. */
    void headLife(long lifeNs) {
        headLifeNs = lifeNs;
    }

    /** The adapters of the endnodes. */
    AdapterSoftware software() {
        return software;
    }

    /** Makes an endnode a router to a LAN. */
    void gateway(int endnode, Lan lan, InetAddress address) {
        gateways.put(
                endnode,
                new LanGateway(ports, subnets, endnode, lan, address, packet -> inject(packet, world().elapsedNs())));
    }

    boolean isGateway(int endnode) {
        return gateways.containsKey(endnode);
    }

    /** Packets between the fabric and LANs that had no way. */
    long droppedByGateways() {
        return gateways.values().stream().mapToLong(LanGateway::dropped).sum();
    }

    private World world() {
        return world.orElseThrow(() -> new IllegalStateException("the fabric is not part of a World yet"));
    }

    /** Looks for frames that do not move, as long as there are frames. */
    private void watch() {
        if (!watching && headLifeNs > 0) {
            watching = true;
            world().after(headLifeNs, () -> {
                watching = false;
                change(world().elapsedNs(), Fabric::discardStuck);
                if (fabric.inFlight() > 0) {
                    watch();
                }
            });
        }
    }

    /** The next host of the World is this endnode. */
    void nextHostIs(int endnode) {
        endnodeOfHost.add(endnode);
    }

    @Override
    public InetAddress address(int host) {
        return addressOf(endnodeOfHost.get(host - 1));
    }

    /** The GID of the first port of an endnode. */
    InetAddress addressOf(int endnode) {
        if (addresses[endnode] == null) {
            addresses[endnode] = PortIdentity.gid(subnets.subnetOf(ports.lid(endnode, 0, 0)), ports.lid(endnode, 0, 0));
        }
        return addresses[endnode];
    }

    @Override
    public Transport transport(int host) {
        int endnode = endnodeOfHost.get(host - 1);
        AdapterKind kind = software.kind(endnode);
        return InfinibandTransport.inSubnet(
                address(host), views.apply(endnode), new AdapterLimits(kind.queuePairs(), kind.incomingRdma()));
    }

    @Override
    public void deliverTo(BiConsumer<InetAddress, byte[]> to) {
        receiver = to;
    }

    @Override
    public void send(InetAddress from, PacketPath to, byte[] packet, long nowNs) {
        System.arraycopy(packet, 0, head, 0, head.length);
        long delayNs = software.process(ports.endnodeOf(lrh.slid()), packet.length, nowNs);
        if (delayNs > 0) {
            world().after(delayNs, () -> inject(packet, nowNs + delayNs));
        } else {
            inject(packet, nowNs);
        }
    }

    private void inject(byte[] packet, long nowNs) {
        fabric.run(Math.max(fabric.now(), FabricTime.tick(nowNs)));
        sent++;
        tap.onPacket(packet, nowNs);
        System.arraycopy(packet, 0, head, 0, head.length);
        int port = endports[(lrh.slid() >>> lmc) - 1];
        if (lrh.dlid() == SubnetView.NO_LID || fabric.wiring().peer(port) < 0) {
            lost++;
        } else {
            int frame = fabric.send(port, lrh.dlid(), lrh.sl(), packet.length);
            fabric.frames().contents(frame, packet);
            watch();
            if (lrh.dlid() >= Wiring.MULTICAST) {
                toSelf(lrh.slid(), lrh.dlid(), packet, nowNs);
            }
        }
        next = FabricTime.ns(fabric.nextTick());
    }

    /** The members at the sending endnode receive a multicast, too, and switches do not send it back. */
    private void toSelf(int source, int group, byte[] packet, long nowNs) {
        int endnode = ports.endnodeOf(source);
        if (groups.member(group, endnode)) {
            world().after(1, () -> deliver(endnode, packet, FabricTime.tick(nowNs)));
        }
    }

    @Override
    public long nextNs() {
        return next;
    }

    @Override
    public void run(long untilNs) {
        fabric.run(FabricTime.tick(untilNs));
        next = FabricTime.ns(fabric.nextTick());
    }

    @Override
    public long hash() {
        return fabric.hash();
    }

    @Override
    public void onFrame(int port, int frame, boolean intact, long now) {
        if (intact && fabric.frames().contents(frame) instanceof byte[] packet) {
            int endnode = ports.endnodeOf(fabric.wiring().lid(port));
            if (subnets.isRouter(endnode) && fabric.frames().destination(frame) >= Wiring.MULTICAST) {
                lost++; // groups do not cross routers
            } else if (subnets.isRouter(endnode)) {
                route(port, packet, now);
            } else if (gateways.containsKey(endnode)) {
                gateways.get(endnode).fromFabric(packet);
            } else {
                deliver(endnode, packet, now);
            }
        } else {
            lost++;
        }
    }

    private void deliver(int endnode, byte[] packet, long now) {
        long delayNs = software.process(endnode, packet.length, FabricTime.ns(now));
        if (delayNs > 0) {
            world().after(delayNs, () -> receiver.accept(addressOf(endnode), packet));
        } else {
            receiver.accept(addressOf(endnode), packet);
        }
    }

    /** A router receives a packet whole and sends it on; its queue has no limit. */
    private void route(int port, byte[] packet, long now) {
        int out = router.forward(ports.endnodeOf(fabric.wiring().lid(port)), packet);
        if (out == SubnetView.NO_LID) {
            lost++;
            return;
        }
        byte[] forwarded = router.packet();
        tap.onPacket(forwarded, FabricTime.ns(now));
        int frame =
                fabric.send(endports[ports.number(out) - 1], router.destination(), router.level(), forwarded.length);
        fabric.frames().contents(frame, forwarded);
    }

    @Override
    public void onTick(int port, long now) {}
}
