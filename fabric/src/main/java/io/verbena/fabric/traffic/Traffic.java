package io.verbena.fabric.traffic;

import io.verbena.base.Digest;
import io.verbena.fabric.link.LinkSettings;
import io.verbena.fabric.link.SeededNumbers;
import io.verbena.fabric.node.Fabric;
import io.verbena.fabric.node.FabricEvents;
import io.verbena.fabric.node.SwitchSettings;
import io.verbena.fabric.node.Wiring;
import java.util.Arrays;

/** A fabric whose endnodes send frames by a pattern. Checks that no frame is lost, repeated or reordered within its path. */
public final class Traffic {

    /** The service level of the frames from one endnode to another. */
    @FunctionalInterface
    public interface Levels {
        /** Level 0 for all. */
        Levels ZERO = (from, to) -> 0;

        /** The level of a pair. */
        int level(int from, int to);
    }

    /** Pairs of endnodes beyond which the order of frames is not checked: the numbers of all pairs need memory. */
    private static final long MOST_PAIRS = 1 << 22;

    private final Fabric fabric;
    private final Pattern pattern;
    private final Load load;
    private final Levels levels;
    private final SeededNumbers random;
    private final int[] endports;
    private final int[] endnodeOf;
    private final int[] sent;
    private final int[] received;
    private final boolean ordered;
    /** Probability that a frame begins in a flit time. */
    private final double startsPerSlot;

    private Latencies latencies = new Latencies();
    private long since;
    private long flitsBefore;
    private long refused;
    private long cut;
    private long refusedBefore;
    private long offered;
    private long offeredBefore;
    private long outOfOrder;
    private boolean stopped;

    /** Traffic over a new fabric, from tick 0 on. */
    public Traffic(
            Wiring wiring, LinkSettings link, SwitchSettings switches, Pattern pattern, Load load, Levels levels) {
        this.pattern = pattern;
        this.load = load;
        this.levels = levels;
        fabric = new Fabric(wiring, link, switches, new Events());
        endports = wiring.endports();
        endnodeOf = new int[wiring.ports()];
        Arrays.fill(endnodeOf, Pattern.NONE);
        for (int i = 0; i < endports.length; i++) {
            endnodeOf[endports[i]] = i;
        }
        ordered = !switches.adaptive() && (long) endports.length * endports.length <= MOST_PAIRS;
        sent = new int[ordered ? endports.length * endports.length : 0];
        received = new int[sent.length];
        random = new SeededNumbers(Digest.mix(link.seed(), 7));
        startsPerSlot = load.rate() / load.flits();
        for (int port : endports) {
            if (wiring.peer(port) >= 0) {
                fabric.wakeAt(
                        port,
                        load.rate() == Load.BACKLOGGED
                                ? 0
                                : random.trials(startsPerSlot)
                                        * wiring.timing(port).flitTicks());
            }
        }
    }

    private void onTickOfPort(int port, long now) {
        if (stopped) {
            return;
        }
        int flitTicks = fabric.wiring().timing(port).flitTicks();
        int source = endnodeOf[port];
        if (load.rate() == Load.BACKLOGGED) {
            while (fabric.queued(port) < 2 && send(port, source)) {
                offered += load.flits();
            }
            fabric.wakeAt(port, now + (long) flitTicks * load.flits());
            return;
        }
        fabric.wakeAt(port, now + random.trials(startsPerSlot) * flitTicks);
        if (fabric.queued(port) >= load.mostQueued()) {
            refused += load.flits();
        } else if (!send(port, source)) {
            return;
        }
        offered += load.flits();
    }

    private boolean send(int port, int source) {
        int to = pattern.next(source, random);
        if (to == Pattern.NONE) {
            return false;
        }
        int frame = fabric.send(port, to + 1, levels.level(source, to), load.frameBytes());
        if (ordered) {
            fabric.frames().number(frame, sent[source * endports.length + to]++);
        }
        return true;
    }

    private void onFrameAtPort(int port, int frame, long now) {
        latencies.add(now - fabric.frames().born(frame));
        if (ordered) {
            int pair = endnodeOf[fabric.frames().source(frame)] * endports.length + endnodeOf[port];
            boolean losses = cut > 0 || fabric.discarded() > 0;
            int ahead = fabric.frames().number(frame) - received[pair];
            if (ahead < 0 || ahead > 0 && !losses) {
                outOfOrder++;
            }
            received[pair] = fabric.frames().number(frame) + 1;
        }
    }

    /** Runs for a time before anything is measured. */
    public void warmUp(long ticks) {
        fabric.run(fabric.now() + ticks);
        since = fabric.now();
        latencies = new Latencies();
        flitsBefore = fabric.flitsDelivered();
        offeredBefore = offered;
        refusedBefore = refused;
    }

    /** Runs for a time. */
    public void run(long ticks) {
        fabric.run(fabric.now() + ticks);
    }

    /** Stops the sources and runs until all frames have arrived, at most for a time. Returns whether they have. */
    public boolean finish(long ticks) {
        stopped = true;
        return fabric.drain(fabric.now() + ticks);
    }

    /** The fabric. */
    public Fabric fabric() {
        return fabric;
    }

    /** Durations from the creation of a frame to the arrival of its last flit, in ticks, since the warm-up. */
    public Latencies latencies() {
        return latencies;
    }

    /** Flits that arrived since the warm-up, as a part of what all endnodes could have received. */
    public double accepted() {
        return share(fabric.flitsDelivered() - flitsBefore);
    }

    /** Flits that endnodes wanted to send since the warm-up, as a part of what they could have sent. */
    public double offered() {
        return share(offered - offeredBefore);
    }

    /** Flits that full source queues refused since the warm-up, as a part of what the endnodes could have sent. */
    public double refused() {
        return share(refused - refusedBefore);
    }

    private double share(long flits) {
        double slots = 0;
        for (int port : endports) {
            slots += (double) (fabric.now() - since)
                    / fabric.wiring().timing(port).flitTicks();
        }
        return slots == 0 ? 0 : flits / slots;
    }

    /** Frames that arrived in another order than they were sent from one endnode to another; 0 unless routing is adaptive. */
    public long outOfOrder() {
        return outOfOrder;
    }

    /** Frames that arrived incomplete, because a link or a node failed. */
    public long cut() {
        return cut;
    }

    /** Whether the order of the frames of each pair of endnodes is checked. */
    public boolean checksOrder() {
        return ordered;
    }

    /** Lets the fabric call the traffic. */
    private final class Events implements FabricEvents {
        @Override
        public void onFrame(int port, int frame, boolean intact, long now) {
            if (intact) {
                onFrameAtPort(port, frame, now);
            } else {
                cut++;
            }
        }

        @Override
        public void onTick(int port, long now) {
            onTickOfPort(port, now);
        }
    }
}
