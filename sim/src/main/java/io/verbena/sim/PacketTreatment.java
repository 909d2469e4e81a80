package io.verbena.sim;

import io.verbena.base.Times;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

/** What the network does to each packet: loses, damages, doubles or delays it, as the plan and the random numbers of the World say. */
final class PacketTreatment {

    private final Run run;
    private final SimRandom random;
    private final Map<Flow, Long> lastArrivalNs = new HashMap<>();
    private PacketPlan plan;

    /** A flow between two ports. Its packets stay in order unless the plan says otherwise. */
    private record Flow(InetSocketAddress from, InetSocketAddress to, int entropy) {}

    private final Map<Integer, PathPlan> paths = new HashMap<>();

    PacketTreatment(Run run, SimRandom random, PacketPlan plan) {
        this.run = run;
        this.random = random;
        this.plan = plan;
    }

    PacketPlan plan() {
        return plan;
    }

    void plan(PacketPlan next) {
        plan = next;
    }

    boolean loses(int bytes) {
        return random.oneIn(plan.loseOneIn()) || bytes > plan.mtuBytes();
    }

    /** From now on packets of a path are treated like this. */
    void path(int entropy, PathPlan next) {
        paths.put(entropy, next);
    }

    boolean losesOnPath(int entropy) {
        PathPlan path = paths.get(entropy);
        return path != null && (path.dead() || random.oneIn(path.loseOneIn()));
    }

    /** The bytes that arrive. */
    byte[] content(byte[] bytes) {
        return random.oneIn(plan.flipOneIn()) ? flipped(bytes) : bytes;
    }

    int copies() {
        return random.oneIn(plan.doubleOneIn()) ? 2 : 1;
    }

    private byte[] flipped(byte[] bytes) {
        byte[] copy = bytes.clone();
        int bit = random.nextInt(copy.length * 8);
        copy[bit >> 3] ^= (byte) (1 << (bit & 7));
        return copy;
    }

    /** The time that a packet takes. */
    long delayNs() {
        return plan.minDelayNs() + random.sizeNs(plan.maxDelayNs() - plan.minDelayNs());
    }

    /** When a packet that is sent now arrives. */
    long arrivalNs(InetSocketAddress from, InetSocketAddress to, int entropy) {
        PathPlan path = paths.get(entropy);
        long atNs = run.nowNs() + delayNs() + (path == null ? 0 : path.delayNs());
        if (random.oneIn(plan.overtakeOneIn())) {
            return atNs + delayNs();
        }
        Flow flow = new Flow(from, to, entropy);
        Long before = lastArrivalNs.get(flow);
        if (before != null && !Times.due(before, atNs)) {
            atNs = before;
        }
        lastArrivalNs.put(flow, atNs);
        return atNs;
    }
}
