package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.ib.SwitchedNetwork.Flow;
import io.verbena.ib.SwitchedNetwork.Switches;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What connections that spray their packets achieve in a network of switches, as parts of what its links carry. */
class FabricLawsTest {

    private static final int HOSTS = 64;
    private static final int PER_LEAF = 8;
    private static final int PER_WRITE = 16;

    /** Queues of 64 packets that mark from a quarter on, for a round trip of 24 turns. */
    private static final Switches TRIMMING = new Switches(true, 64, 16);

    private static final Switches DROPPING = new Switches(false, 64, 16);

    private static SwitchedNetwork permutation(Switches switches, long limit) {
        SwitchedNetwork network = new SwitchedNetwork(HOSTS / PER_LEAF, PER_LEAF, switches);
        for (int host = 0; host < HOSTS; host++) {
            // Each host of a leaf sends to another leaf.
            int to = (host / PER_LEAF + 1 + host % PER_LEAF % (PER_LEAF - 1)) % PER_LEAF * PER_LEAF + host % PER_LEAF;
            network.flow(host, to).limit = limit;
        }
        return network;
    }

    @Test
    void permutation_ofAFatTreeOf64_hasItsBisection() {
        SwitchedNetwork network = permutation(TRIMMING, Long.MAX_VALUE);
        network.run(300);
        long before = network.packetsDone();
        int turns = 600;
        network.run(turns);
        double part = (network.packetsDone() - before) / ((double) turns * HOSTS);
        assertTrue(part >= 0.95, () -> "of the bisection: " + part + report(network));
    }

    @Test
    void permutation_ofMessages_theSlowestEndsSoonAfterTheIdealTime() {
        int writes = 40;
        SwitchedNetwork network = permutation(TRIMMING, writes);
        network.run(2 * writes * PER_WRITE);
        long[] ends =
                network.flows.stream().mapToLong(it -> it.doneTurn).sorted().toArray();
        // A packet in each turn, four links there, and the answer.
        double ideal = writes * PER_WRITE + 4 * 3 + 4 * 3;
        double p99 = ends[(int) Math.ceil(ends.length * 0.99) - 1] / ideal;
        assertTrue(
                ends[0] > 0 && p99 <= 1.15,
                () -> "times the ideal: " + p99 + ", " + Arrays.toString(ends) + report(network));
    }

    @Test
    void incast_of32_withTrimming_fillsTheLink_withoutATimeout() {
        SwitchedNetwork network = incast(TRIMMING, 0.95);
        assertEquals(0, network.flows.stream().mapToLong(Flow::timeouts).sum(), () -> report(network));
    }

    @Test
    void incast_of32_withoutTrimming_doesNotCollapse() {
        incast(DROPPING, 0.8);
    }

    private static SwitchedNetwork incast(Switches switches, double least) {
        SwitchedNetwork network = new SwitchedNetwork(HOSTS / PER_LEAF, PER_LEAF, switches);
        for (int host = PER_LEAF; host < PER_LEAF + 32; host++) {
            network.flow(host, 0);
        }
        network.run(1_500);
        long before = network.packetsDone();
        int turns = 6_000;
        network.run(turns);
        double part = (network.packetsDone() - before) / (double) turns;
        assertTrue(part >= least, () -> "of the link: " + part + report(network));
        return network;
    }

    private static String report(SwitchedNetwork network) {
        return "; trimmed " + network.trimmed + ", lost " + network.lost + ", sent "
                + network.flows.stream().mapToLong(it -> it.sent).sum() + ", again "
                + network.flows.stream().mapToLong(Flow::retransmissions).sum();
    }
}
