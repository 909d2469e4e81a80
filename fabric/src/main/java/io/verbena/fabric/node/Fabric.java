package io.verbena.fabric.node;

import io.verbena.fabric.link.CreditLevels;
import io.verbena.fabric.link.FlitObserver;
import io.verbena.fabric.link.Frames;
import io.verbena.fabric.link.LaneTables;
import io.verbena.fabric.link.LinkCounters;
import io.verbena.fabric.link.LinkEnds;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.Links;
import io.verbena.fabric.link.TimingWheel;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A fabric in virtual time: frames that {@link #send} gives to a port of an adapter travel flit by flit to the port of their
 * DLID. While all links and switches work, no frame is lost, repeated or damaged, and frames of one path and service level arrive in
 * order, unless switches route adaptively. A link that breaks cuts the frames on it, and they are lost. Time is counted in ticks and passes in {@link #run} only. One thread at a time uses a fabric.
 */
public final class Fabric {
    private final Wiring wiring;
    private final Frames frames = new Frames();
    private final Links links;
    private final Switches switches;
    private final Adapters adapters;
    private final FabricEvents events;
    private final LaneMap laneMap;
    private final boolean[] switchPort;
    private final long[] userTick;
    private @Nullable HeadLife headLife;
    private final int lanes;
    /** Ports of broken links. */
    private final boolean[] down;

    private boolean anyDown;
    private boolean switchAsked;
    private long injected;
    private long delivered;
    private long flitsDelivered;
    private long misrouted;

    /** A fabric at tick 0. */
    public Fabric(Wiring wiring, LinkSettings link, SwitchSettings settings, FabricEvents events) {
        this.wiring = wiring;
        this.events = events;
        laneMap = wiring.laneMap();
        lanes = link.lanes();
        if (settings.organisation() == Organisation.VIRTUAL_OUTPUT_QUEUES && !wiring.keepsLanes()) {
            throw new IllegalArgumentException(
                    "virtual output queues match the lanes of an input with equal lanes of outputs:"
                            + " frames must keep their lane");
        }
        int ports = wiring.ports();
        links = new Links(new Ends(), frames, wiring.peers(), wiring.timings(), link);
        down = new boolean[ports];
        switches = new Switches(wiring, frames, links, link, settings);
        switches.forwarding.down(down);
        adapters = new Adapters(ports, frames, links, link);
        switchPort = new boolean[ports];
        for (int p = 0; p < ports; p++) {
            switchPort[p] = wiring.isSwitch(wiring.nodeOf(p));
        }
        userTick = new long[ports];
        Arrays.fill(userTick, TimingWheel.NEVER);
    }

    /**
     * Gives a frame to a port of an adapter, which sends it when its link is free.
     *
     * @param port port of an adapter, see {@link Wiring#port}
     * @param lid destination: a LID, or a multicast group from {@link Wiring#MULTICAST} on
     * @param level service level
     * @param bytes length with all headers and the CRC, 1 or more
     * @return the number of the frame
     */
    public int send(int port, int lid, int level, int bytes) {
        if (switchPort[port] || links.peer(port) < 0 || bytes < 1) {
            throw new IllegalArgumentException("port " + port + " cannot send a frame of " + bytes
                    + " bytes: it must be the connected port of an adapter, and the frame 1 byte or more");
        }
        int frame = frames.create(port, lid, level, bytes, links.now());
        injected++;
        adapters.enqueue(port, laneMap.lane(LaneMap.SOURCE, port, level, lanes), frame);
        return frame;
    }

    /** Lets time pass up to a tick and does all that happens until then. */
    public void run(long until) {
        links.run(until);
    }

    /** Lets time pass until nothing more happens, at most up to a tick. Returns whether no frame is left. */
    public boolean drain(long until) {
        long next = links.nextTick();
        while (next <= until && frames.live() > 0) {
            links.run(next);
            next = links.nextTick();
        }
        return frames.live() == 0;
    }

    /** The current tick. */
    public long now() {
        return links.now();
    }

    /** The earliest tick at which something may happen; {@link TimingWheel#NEVER} if nothing will. */
    public long nextTick() {
        return links.nextTick();
    }

    /** Asks for {@link FabricEvents#onTick} of an adapter's port at a tick, or at the one asked for before if that is earlier. */
    public void wakeAt(int port, long tick) {
        userTick[port] = Math.min(userTick[port], tick);
        links.wakeAt(port, tick);
    }

    /** The flow control of the links, in which credits can be lost. */
    public CreditLevels creditLevels() {
        return links.levels();
    }

    /** Makes the consumer of an adapter's port slow: it takes one flit every {@code ticksPerFlit} ticks; 0 for no limit. */
    public void slowReceiver(int port, int ticksPerFlit) {
        adapters.drain(port, ticksPerFlit);
    }

    /**
     * Discards the frames that were the first of a queue in a switch at the last call and have not moved since then. Called in regular
     * intervals, it limits the time that a frame may wait there, and so ends every deadlock. Returns the number of queues that were stuck.
     */
    public int discardStuck() {
        if (headLife == null) {
            headLife = new HeadLife(switches);
        }
        return headLife.look(links.now());
    }

    /** Sets the probability that a flit which a port sends from now on arrives damaged. */
    public void errors(int port, double rate) {
        links.errors(port, rate);
    }

    /**
     * Breaks the link of a port. From now on no frame arrives that has not passed it completely: switches discard frames that their
     * tables send to it, and endnodes drop frames that were on it. {@link #repairLink} reverses it. The tables do not change.
     */
    public void breakLink(int port) {
        setLink(port, true);
    }

    /** Repairs the link of a port. */
    public void repairLink(int port) {
        setLink(port, false);
    }

    /** Repairs all links of a node. */
    public void repairNode(int node) {
        for (int port = wiring.port(node, 1); port < wiring.port(node, 1) + wiring.portCount(node); port++) {
            if (links.peer(port) >= 0) {
                repairLink(port);
            }
        }
    }

    private void setLink(int port, boolean isDown) {
        int peer = links.peer(port);
        if (peer < 0) {
            throw new IllegalArgumentException("port " + port + " has no link");
        }
        down[port] = isDown;
        down[peer] = isDown;
        anyDown |= isDown;
    }

    /** Breaks all links of a node: the node is switched off. */
    public void breakNode(int node) {
        for (int port = wiring.port(node, 1); port < wiring.port(node, 1) + wiring.portCount(node); port++) {
            if (links.peer(port) >= 0) {
                breakLink(port);
            }
        }
    }

    /**
     * Changes an entry of the table by which a switch forwards frames from all its inputs. Frames whose output is chosen already
     * are not affected.
     *
     * @param out port of the switch, from 1 on; 0 to discard frames to this LID
     */
    public void route(int node, int lid, int out) {
        wiring.blocks().change(wiring.tableOf(wiring.port(node, 1)), lid, out);
    }

    /**
     * Changes the ports by which a switch forwards frames to a multicast group.
     *
     * @param lid of the group, from {@link Wiring#MULTICAST} on
     * @param ports a bit for each port from 1 on at bit 0, {@link Wiring#words} longs
     */
    public void group(int node, int lid, long[] ports) {
        switches.forwarding.group(wiring.port(node, 1), wiring.portCount(node), lid - Wiring.MULTICAST, ports);
    }

    /** Sets how the lanes of a port share its link. */
    public void laneTables(int port, LaneTables tables) {
        links.tables(port, tables);
    }

    /** Whether a port has a link that is not broken. */
    public boolean works(int port) {
        return links.peer(port) >= 0 && !down[port];
    }

    /** Observes every flit. */
    public void observe(FlitObserver observer) {
        links.observe(observer);
    }

    /** The frames, for what is attached to them. */
    public Frames frames() {
        return frames;
    }

    /** What the fabric consists of. */
    public Wiring wiring() {
        return wiring;
    }

    /** What each port has counted. */
    public LinkCounters counters() {
        return links.counters();
    }

    /** Frames that a port has not yet sent completely. */
    public int queued(int port) {
        return adapters.queued(port);
    }

    /** Frames in a switch that use or want to use a lane of a port to leave it; of an adapter see {@link #queued}. */
    public int waiting(int port, int lane) {
        return switchPort[port] ? switches.waiting(port, lane) : 0;
    }

    /** Flits that a port may send on a lane. */
    public int credits(int port, int lane) {
        return links.credits(port, lane);
    }

    /** Virtual lanes of each link. */
    public int lanes() {
        return lanes;
    }

    /** Frames that were given to adapters. */
    public long injected() {
        return injected;
    }

    /** Frames that have arrived at the port of their DLID; of a multicast, each copy. */
    public long delivered() {
        return delivered;
    }

    /** Flits of all frames that have arrived. */
    public long flitsDelivered() {
        return flitsDelivered;
    }

    /** Frames that switches discarded because no table forwards them or because they went in a circle. */
    public long discarded() {
        return switches.discarded();
    }

    /** Frames that arrived at an adapter with another LID, which dropped them. */
    public long misrouted() {
        return misrouted;
    }

    /** Frames that were sent and not yet delivered or dropped. */
    public int inFlight() {
        return frames.live();
    }

    /** A digest of every flit that has arrived anywhere: equal for two runs of a seed. */
    public long hash() {
        return links.hash();
    }

    /**
     * A cycle of lanes that wait for each other, so that none of their frames ever moves again; empty if there is none. The
     * time it takes grows with the size of the fabric.
     */
    public List<Deadlock.Lane> deadlock() {
        return new Deadlock(wiring, switches, links).cycle();
    }

    private void onFlitAtAdapter(int port, int lane, int flit, long now) {
        flitsDelivered++;
        if (adapters.accept(port, lane, now)) {
            links.returnCredit(port, lane);
        } else {
            links.wakeAt(port, adapters.drainAt(port));
        }
        if ((flit & Frames.TAIL) == 0) {
            return;
        }
        int frame = Frames.frameOf(flit);
        int lid = frames.destination(frame);
        if (lid < Wiring.MULTICAST && (lid & -1 << wiring.lmc()) != wiring.lid(port)) {
            misrouted++;
        } else {
            delivered++;
            events.onFrame(port, frame, (flit & Frames.CUT) == 0 && !frames.broken(frame), now);
        }
        frames.release(frame);
    }

    private void onTickOfPort(int port, long now) {
        if (adapters.drainAt(port) <= now) {
            links.returnCredit(port, adapters.drained(port));
        }
        if (userTick[port] <= now) {
            userTick[port] = TimingWheel.NEVER;
            events.onTick(port, now);
        }
        long next = Math.min(userTick[port], adapters.drainAt(port));
        if (next != TimingWheel.NEVER) {
            links.wakeAt(port, next);
        }
    }

    /** Lets the links call switches or adapters. */
    private final class Ends implements LinkEnds {
        @Override
        public int readyLanes(int port, long now) {
            switchAsked = switchPort[port];
            return switchAsked ? switches.readyLanes(port, now) : adapters.readyLanes(port);
        }

        @Override
        public long nextReady() {
            return switchAsked ? switches.nextReady() : TimingWheel.NEVER;
        }

        @Override
        public boolean mayHaveMore(int port) {
            return switchPort[port] ? switches.mayHaveMore(port) : adapters.readyLanes(port) != 0;
        }

        @Override
        public int takeFlit(int port, int lane, long now) {
            return switchPort[port] ? switches.take(port, lane, now) : adapters.take(port, lane);
        }

        @Override
        public void onFlit(int port, int lane, int flit, long now) {
            if (anyDown && down[port]) {
                frames.breakOff(Frames.frameOf(flit));
            }
            if (switchPort[port]) {
                switches.onFlit(port, lane, flit, now);
            } else {
                onFlitAtAdapter(port, lane, flit, now);
            }
        }

        @Override
        public void onTick(int port, long now) {
            onTickOfPort(port, now);
        }
    }
}
