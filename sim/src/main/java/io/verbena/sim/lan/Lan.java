package io.verbena.sim.lan;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.EthernetHeader;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * An Ethernet in the time of a World, with hosts that have the TCP of the library and no RNIC, and with routers to other networks: a LAN beside
 * a fabric. Its switch learns where stations are; frames to others, and those to groups, go to all. Frames are neither lost nor reordered.
 */
public final class Lan {

    /** Nanoseconds per byte at 1 Gb/s. */
    private static final long BYTE_NS = 8;

    private static final long SWITCH_NS = 2_000;
    private static final int PREFIX_BITS = 64;
    static final int MTU = 1_500;
    private static final long PURPOSE = 0x1a4;

    private final World world;
    private final SimRandom random;
    private final List<Port> ports = new ArrayList<>();
    private final Map<Long, Port> stations = new HashMap<>();
    private final EthernetHeader ethernet = new EthernetHeader();
    private long frames;

    /** A LAN without stations. */
    public Lan(World world) {
        this.world = world;
        random = new SimRandom(Digest.mix(world.seed(), PURPOSE));
    }

    /** A port of the switch. */
    final class Port {

        private final Consumer<byte[]> station;
        private long freeAtNs;

        private Port(Consumer<byte[]> station) {
            this.station = station;
        }

        /** The station sends a frame. */
        void send(byte[] frame) {
            frames++;
            ethernet.wrap(MemorySegment.ofArray(frame), 0);
            stations.put(ethernet.source(), this);
            Port to = stations.get(ethernet.destination());
            long nowNs = world.elapsedNs();
            long sentNs = Times.leftNs(freeAtNs, nowNs) + BYTE_NS * frame.length; // after the frames that wait
            freeAtNs = Times.after(nowNs, sentNs);
            long delayNs = sentNs + SWITCH_NS;
            for (Port each : to == null ? List.copyOf(ports) : List.of(to)) {
                if (each != this) {
                    world.after(delayNs, () -> each.station.accept(frame.clone()));
                }
            }
        }
    }

    Port port(Consumer<byte[]> station) {
        Port port = new Port(station);
        ports.add(port);
        return port;
    }

    World world() {
        return world;
    }

    /** Largest IP packet. */
    public int mtu() {
        return MTU;
    }

    /** Frames that were sent so far. */
    public long frames() {
        return frames;
    }

    /**
     * Adds a host with the TCP of the library, whose network has a prefix of 64 bits.
     *
     * @param router address of the router to all other networks
     */
    public LanHost host(InetAddress address, InetAddress router) {
        return new LanHost(
                this,
                LinkAddress.of(address, PREFIX_BITS, router),
                TcpSettings.defaults().withMtu(MTU),
                random.fork(ports.size()));
    }

    /**
     * Adds a router to another network.
     *
     * @param address of the router on the LAN
     * @param toOtherNetwork receives IPv6 packets that stations send to the router
     */
    public LanRouter router(InetAddress address, Consumer<byte[]> toOtherNetwork) {
        return new LanRouter(
                this, LinkAddress.of(address, PREFIX_BITS, address), random.fork(ports.size()), toOtherNetwork);
    }
}
