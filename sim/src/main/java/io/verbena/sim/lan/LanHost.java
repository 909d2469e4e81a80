package io.verbena.sim.lan;

import io.verbena.base.Slab;
import io.verbena.base.Times;
import io.verbena.port.LinkPort;
import io.verbena.port.StreamLoop;
import io.verbena.sim.SimRandom;
import io.verbena.sim.World;
import io.verbena.tcp.LinkTcp;
import io.verbena.tcp.link.LinkAddress;
import io.verbena.tcp.state.TcpSettings;
import io.verbena.wire.ip.VirtioNetHeader;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** A host on a {@link Lan}: the TCP of the library over IPv6 and Ethernet. It answers ICMPv6 echo requests, too. */
public final class LanHost {

    private static final long TURN_NS = 1_000;
    private static final int MOST_WAITING = 1024;

    private final World world;
    private final InetAddress address;
    private final LinkTcp tcp;
    private final Lan.Port port;
    private final Deque<byte[]> arrived = new ArrayDeque<>();
    private long wakeAtNs;
    private boolean waking;

    LanHost(Lan lan, LinkAddress address, TcpSettings settings, SimRandom random) {
        world = lan.world();
        this.address = address.address();
        port = lan.port(this::onFrame);
        tcp = new LinkTcp(new Device(), address, settings, random, world.nowNs());
        wake();
    }

    /** Its address. */
    public InetAddress address() {
        return address;
    }

    /** Its streams. After a change outside of their events, {@link #wake} lets the host send what has become ready. */
    public StreamLoop streams() {
        return tcp;
    }

    /** The host takes a turn soon. */
    public void wake() {
        wakeAt(world.nowNs() + TURN_NS);
    }

    private void onFrame(byte[] frame) {
        if (arrived.size() < MOST_WAITING) {
            arrived.addLast(frame);
            tcp.onReadable();
            wake();
        }
    }

    private void turn() {
        tcp.turn(world.nowNs());
        tcp.flush(world.nowNs());
        long nextNs = tcp.nextDeadlineNs();
        if (nextNs != Times.NEVER) {
            wakeAt(nextNs);
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

    /** The network interface. */
    private final class Device implements LinkPort {

        @Override
        public String name() {
            return "lan0";
        }

        @Override
        public boolean ethernet() {
            return true;
        }

        @Override
        public int mtu() {
            return Lan.MTU;
        }

        @Override
        public boolean offloads() {
            return false;
        }

        @Override
        public int receive(Slab slab, int offset) {
            byte[] frame = arrived.pollFirst();
            if (frame == null) {
                return 0;
            }
            new VirtioNetHeader().wrap(slab.segment(), offset).complete();
            MemorySegment.copy(
                    frame, 0, slab.segment(), ValueLayout.JAVA_BYTE, offset + VirtioNetHeader.LENGTH, frame.length);
            return VirtioNetHeader.LENGTH + frame.length;
        }

        @Override
        public boolean send(Slab slab, int offset, int bytes) {
            port.send(slab.segment()
                    .asSlice(offset + VirtioNetHeader.LENGTH, bytes - VirtioNetHeader.LENGTH)
                    .toArray(ValueLayout.JAVA_BYTE));
            return true;
        }

        @Override
        public void wantWritable(boolean wanted) {
            // The network always accepts frames.
        }

        @Override
        public void close() {
            // The host remains.
        }
    }
}
