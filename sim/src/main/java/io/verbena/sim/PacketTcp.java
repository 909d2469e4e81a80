package io.verbena.sim;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.port.StreamLoop;
import io.verbena.tcp.TcpHost;
import io.verbena.tcp.TcpLoop;
import io.verbena.tcp.ip.PacketOut;
import io.verbena.tcp.state.TcpSettings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.function.Consumer;

/** The TCP of the library in the time of a World, above anything that carries IP packets, such as raw datagrams. */
public final class PacketTcp {

    private static final long TURN_NS = 1_000;

    private final World world;
    private final Consumer<byte[]> carrier;
    private final TcpHost host;
    private final TcpLoop loop;
    private long wakeAtNs;
    private boolean waking;

    /**
     * A host without connections.
     *
     * @param mtu size of the largest IP packet
     * @param carrier sends an IP packet
     */
    public PacketTcp(World world, InetAddress address, int mtu, Consumer<byte[]> carrier) {
        this.world = world;
        this.carrier = carrier;
        SimRandom random = new SimRandom(Digest.mix(world.seed(), address.hashCode()));
        host = new TcpHost(TcpSettings.defaults().withMtu(mtu), address, false, random, world.nowNs());
        loop = host.newLoop(this::wake);
    }

    /** Its streams. After a change outside of their events, {@link #wake} lets the host send what has become ready. */
    public StreamLoop streams() {
        return loop;
    }

    /** An IP packet has arrived. */
    public void onPacket(byte[] packet) {
        host.onPacket(MemorySegment.ofArray(packet), 0, packet.length, false, world.nowNs());
        wake();
    }

    /** The host takes a turn soon. */
    public void wake() {
        wakeAt(world.nowNs() + TURN_NS);
    }

    private void turn() {
        host.onDeadline(world.nowNs());
        loop.report();
        while (host.transmit(world.nowNs())) {
            carrier.accept(host.out()
                    .slab()
                    .segment()
                    .asSlice(PacketOut.OFFSET, host.out().length())
                    .toArray(ValueLayout.JAVA_BYTE));
        }
        if (loop.reporting()) {
            wake();
        } else if (host.nextDeadlineNs() != Times.NEVER) {
            wakeAt(host.nextDeadlineNs());
        }
    }

    private void wakeAt(long atNs) {
        if (!waking || atNs - wakeAtNs < 0) {
            waking = true;
            wakeAtNs = atNs;
            world.after(Math.max(TURN_NS, atNs - world.nowNs()), () -> {
                if (waking && wakeAtNs == atNs) {
                    waking = false;
                    turn();
                }
            });
        }
    }
}
