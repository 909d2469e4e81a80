package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A connection with eight paths of one packet each per turn, of equal rate and delay: the goodput with losses, and
 * without a path.
 */
class SprayLossTest {

    private static final int PATHS = 8;
    private static final int MTU = 256;
    private static final int PER_WRITE = 16;
    private static final int SLOW_PART = 10;

    /** Turns from the sender to the receiver: the paths together carry 256 packets, a quarter of the window. */
    private static final int DELAY = 32;

    private static RcSettings settings(int own, int peer, int sendPsn, int receivePsn) {
        return RcPair.builder(own, peer, sendPsn, receivePsn)
                .mtuBytes(MTU)
                .retries(7, RcSettings.UNLIMITED)
                .windowPackets(1024)
                .options(RcOption.SELECTIVE_REPEAT, RcOption.PATHS)
                .paths(PATHS)
                .reliableConnection();
    }

    /** A packet that later ones overtake. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Late(long nowNs, byte[] packet) {}

    /** The network: in each turn of 10 us a path takes one packet, which arrives after the delay. */
    private static final class Network {
        final RcPair pair;
        final boolean sprays;
        private final SteadyWrites writes;
        final List<ArrayDeque<byte[]>> waiting = new ArrayList<>();
        final List<ArrayDeque<byte[]>> links = new ArrayList<>();
        final SplittableRandom random;
        final int lostPerMille;

        /** Paths that lose everything, as bits. */
        int dead;

        /** A path that takes a packet only in each tenth turn, or -1. */
        int slow = -1;

        /** Packets in 100 that are up to 8 turns late. */
        int latePercent;

        final PriorityQueue<Late> late = new PriorityQueue<>(Comparator.comparingLong(Late::nowNs));
        int done;
        int packets;
        int turns;

        /** Turns without a completion: now, and most of them. */
        int quiet;

        int longestQuiet;

        Network(long seed, int lostPerMille) {
            this(seed, lostPerMille, DELAY);
        }

        Network(long seed, int lostPerMille, int delay) {
            this(
                    seed,
                    lostPerMille,
                    delay,
                    settings(RcPair.A_QP, RcPair.B_QP, 100, 900),
                    settings(RcPair.B_QP, RcPair.A_QP, 900, 100));
        }

        /** Without several paths, all packets take the first one, which carries as many as all others together. */
        Network(long seed, int lostPerMille, int delay, RcSettings a, RcSettings b) {
            pair = new RcPair(a, b);
            writes = new SteadyWrites(pair, PER_WRITE * MTU);
            sprays = a.sprays();
            random = new SplittableRandom(seed);
            this.lostPerMille = lostPerMille;
            for (int i = 0; i < PATHS; i++) {
                waiting.add(new ArrayDeque<>());
                ArrayDeque<byte[]> link = new ArrayDeque<>();
                for (int turn = 0; turn < delay; turn++) {
                    link.add(NOTHING);
                }
                links.add(link);
            }
        }

        private static final byte[] NOTHING = {};

        /** Writes that complete in a number of turns. */
        int run(int turns) {
            int before = done;
            for (int turn = 0; turn < turns; turn++) {
                turn();
            }
            return done - before;
        }

        private void turn() {
            turns++;
            pair.nowNs += 10_000;
            writes.post(60, Long.MAX_VALUE);
            pair.a.engine.onDeadline(pair.nowNs);
            build();
            for (int path = 0; path < PATHS; path++) {
                ArrayDeque<byte[]> from = waiting.get(sprays ? path : 0);
                ArrayDeque<byte[]> link = links.get(path);
                boolean takes = !from.isEmpty() && (path != slow || turns % SLOW_PART == 0);
                link.add(takes ? from.removeFirst() : NOTHING);
                byte[] arrives = link.removeFirst();
                if (arrives != NOTHING && (dead >> path & 1) == 0 && random.nextInt(1000) >= lostPerMille) {
                    arrive(arrives);
                }
            }
            while (!late.isEmpty() && late.peek().nowNs() <= pair.nowNs) {
                pair.b.receive(late.remove().packet(), pair.nowNs);
            }
            pair.b.transmit(pair.nowNs);
            pair.deliver(pair.b, pair.a);
            int completed = pair.a.completions().size();
            done += completed;
            quiet = completed > 0 ? 0 : quiet + 1;
            longestQuiet = Math.max(longestQuiet, quiet);
        }

        private void arrive(byte[] packet) {
            if (latePercent > 0 && random.nextInt(100) < latePercent) {
                late.add(new Late(pair.nowNs + random.nextInt(1, 9) * 10_000L, packet));
            } else {
                pair.b.receive(packet, pair.nowNs);
            }
        }

        long again() {
            return pair.a.engine.figures().orElseThrow().retransmissions();
        }

        /** As many packets as the paths take in this turn. */
        private void build() {
            int free = PATHS;
            for (int path = 0; path < PATHS; path++) {
                // What waits for the slow path waits at its router, and keeps no other packet from leaving.
                free -= path == slow ? 0 : waiting.get(path).size();
            }
            int built = -1;
            while (free > 0 && built != 0) {
                built = writes.build((path, packet) -> waiting.get(path).add(packet));
                free -= built;
                packets += built;
            }
        }
    }

    @Tag(Seeds.TAG)
    @Test
    void onePercentLost_goodputIsNearlyThatWithoutLoss() {
        long seed = Seeds.one(1);
        int turns = 8_000;
        double clean = new Network(seed, 0).run(turns);
        double lossy = new Network(seed, 10).run(turns);
        assertTrue(lossy >= 0.9 * clean, "seed " + seed + "L: " + lossy + " Writes of " + clean);
    }

    @Test
    void onePathDies_theOthersCarryWhatTheyCan() {
        Network network = new Network(1, 0);
        network.run(1_000);
        double before = network.run(2_000);
        network.dead = 1 << 3;
        network.longestQuiet = 0;
        // Ten round trips.
        network.run(10 * DELAY);
        double after = network.run(2_000);
        assertTrue(after >= 0.8 * before * 7 / 8, after + " Writes of " + before);
        assertTrue(network.longestQuiet <= 5 * DELAY, () -> "turns without a completion: " + network.longestQuiet);
    }

    @Test
    void allButOneDie_oneByOne_thenAllRevive() {
        Network network = new Network(1, 0);
        network.run(1_000);
        double before = network.run(2_000);
        for (int path = 1; path < PATHS; path++) {
            network.dead |= 1 << path;
            network.run(40 * DELAY);
        }
        double alone = network.run(2_000);
        network.dead = 0;
        // Twenty round trips.
        network.run(20 * DELAY);
        double after = network.run(2_000);
        assertTrue(
                alone >= 0.95 * before / PATHS && after >= 0.95 * before, before + " Writes, " + alone + ", " + after);
    }

    @Test
    void onePathWithATenthOfItsRate_theOthersCarryWhatTheyCan() {
        Network network = new Network(1, 0);
        network.run(1_000);
        double before = network.run(4_000);
        network.slow = 3;
        network.run(1_000);
        double after = network.run(4_000);
        double most = before * (PATHS - 1 + 1.0 / SLOW_PART) / PATHS;
        assertTrue(after >= 0.9 * most, after + " Writes, at most " + most);
    }

    /** Go-back-N depends on where the losses fall: in single runs several paths have 3 to 21 times its goodput. */
    @Tag(Seeds.TAG)
    @Test
    void onePercentLost_isSeveralTimesTheGoodputOfGoBackN() {
        long seed = Seeds.one(1);
        RcSettings a = goBackN(RcPair.A_QP, RcPair.B_QP, 100, 900);
        RcSettings b = goBackN(RcPair.B_QP, RcPair.A_QP, 900, 100);
        int turns = 8_000;
        double before = new Network(seed, 0, DELAY, a, b).run(turns);
        assertTrue(before > 0.9 * new Network(seed, 0).run(turns), "go-back-N without loss");
        double goBackN = 0;
        double sprayed = 0;
        for (int i = 0; i < 9; i++) {
            goBackN += new Network(seed + i, 10, DELAY, a, b).run(turns);
            sprayed += new Network(seed + i, 10).run(turns);
        }
        assertTrue(sprayed >= 4 * goBackN, "seed " + seed + "L: " + sprayed + " Writes, go-back-N " + goBackN);
    }

    /** Prints what 1 % of losses leaves, by the packets that the paths carry: {@code -Dverbena.full=true}. */
    @Test
    void onePercentLost_byTheLengthOfThePaths() {
        int seeds = Rounds.of(1, 50);
        int turns = Rounds.of(2_000, 8_000);
        int lengths = Rounds.of(1, 3);
        for (int delay : Arrays.copyOf(new int[] {50, 32, 64}, lengths)) {
            double[] ratios = new double[seeds];
            double clean = 0;
            double lossy = 0;
            double goBackN = 0;
            for (int seed = 0; seed < seeds; seed++) {
                double one = new Network(seed, 10, delay).run(turns);
                double other = new Network(
                                seed,
                                10,
                                delay,
                                goBackN(RcPair.A_QP, RcPair.B_QP, 100, 900),
                                goBackN(RcPair.B_QP, RcPair.A_QP, 900, 100))
                        .run(turns);
                clean += new Network(seed, 0, delay).run(turns);
                lossy += one;
                goBackN += other;
                ratios[seed] = one / Math.max(1, other);
            }
            Arrays.sort(ratios);
            System.out.printf(
                    "%d packets: %.3f of lossless, %.1f times go-back-N (single seeds %.1f, %.1f, %.1f)%n",
                    delay * PATHS, lossy / clean, lossy / goBackN, ratios[0], ratios[seeds / 2], ratios[seeds - 1]);
            assertTrue(lossy > 0.5 * clean, () -> "paths of " + delay + " turns");
        }
    }

    private static RcSettings goBackN(int own, int peer, int sendPsn, int receivePsn) {
        return RcPair.builder(own, peer, sendPsn, receivePsn)
                .mtuBytes(MTU)
                .retries(7, RcSettings.UNLIMITED)
                .windowPackets(1024)
                .reliableConnection();
    }

    @Tag(Seeds.TAG)
    @Test
    void aQuarterOvertaken_causesHardlyAnyRepetition() {
        long seed = Seeds.one(1);
        double clean = new Network(seed, 0).run(8_000);
        Network network = new Network(seed, 0);
        network.latePercent = 25;
        while (network.packets < 1_000) {
            network.turn();
        }
        long againBefore = network.again();
        int packetsBefore = network.packets;
        int turnsBefore = network.turns;
        network.run(8_000 - turnsBefore);
        double part = (network.again() - againBefore) / (double) (network.packets - packetsBefore);
        assertTrue(part <= 0.001, () -> "seed " + seed + "L: needless " + part);
        assertTrue(network.done >= 0.8 * clean, () -> "seed " + seed + "L: " + network.done + " Writes of " + clean);
    }
}
