package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A connection with eight paths of one packet each per turn, of equal rate and delay: the goodput with losses, and without a path. */
class SprayLossTest {

    private static final int PATHS = 8;
    private static final int MTU = 256;
    private static final int PER_WRITE = 16;

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

    /** The network: in each turn of 10 us a path takes one packet, which arrives after the delay. */
    private static final class Network {
        final RcPair pair =
                new RcPair(settings(RcPair.A_QP, RcPair.B_QP, 100, 900), settings(RcPair.B_QP, RcPair.A_QP, 900, 100));
        final Region source = pair.a.region(PER_WRITE * MTU);
        final Region target = pair.b.region(PER_WRITE * MTU);
        final List<ArrayDeque<byte[]>> waiting = new ArrayList<>();
        final List<ArrayDeque<byte[]>> links = new ArrayList<>();
        final SplittableRandom random;
        final int lostPerMille;
        long dead = -1;
        int done;
        int posted;

        Network(long seed, int lostPerMille) {
            random = new SplittableRandom(seed);
            this.lostPerMille = lostPerMille;
            for (int i = 0; i < PATHS; i++) {
                waiting.add(new ArrayDeque<>());
                ArrayDeque<byte[]> link = new ArrayDeque<>();
                for (int turn = 0; turn < DELAY; turn++) {
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
            pair.nowNs += 10_000;
            post();
            pair.a.engine.onDeadline(pair.nowNs);
            build();
            for (int path = 0; path < PATHS; path++) {
                ArrayDeque<byte[]> link = links.get(path);
                link.add(
                        waiting.get(path).isEmpty()
                                ? NOTHING
                                : waiting.get(path).removeFirst());
                byte[] arrives = link.removeFirst();
                if (arrives != NOTHING && path != dead && random.nextInt(1000) >= lostPerMille) {
                    pair.b.receive(arrives, pair.nowNs);
                }
            }
            pair.b.transmit(pair.nowNs);
            pair.deliver(pair.b, pair.a);
            done += pair.a.completions().size();
        }

        private void post() {
            while (pair.a.send.posted() - pair.a.send.retired() < 60) {
                int id = posted++;
                pair.a.post(
                        WorkOpcode.WRITE,
                        WrFlags.SIGNALLED,
                        w -> w.wrId(id)
                                .remoteAddress(target.baseAddress())
                                .rkey(target.rkey())
                                .addElement(source.localKey(), 0, PER_WRITE * MTU));
            }
        }

        /** As many packets as the paths take in this turn. */
        private void build() {
            int free = PATHS - waiting.stream().mapToInt(ArrayDeque::size).sum();
            while (free > 0 && pair.a.engine.hasTransmitWork(pair.nowNs)) {
                pair.a.list.reset(64, 65_507);
                pair.a.engine.fillTransmit(pair.a.builder, 1, pair.nowNs);
                if (pair.a.list.packets() == 0) {
                    return;
                }
                for (int i = 0; i < pair.a.list.packets(); i++) {
                    ByteBuffer copy = ByteBuffer.allocate(pair.a.list.length(i));
                    pair.a.list.copyOut(i, copy);
                    waiting.get(pair.a.list.path(i).entropy()).add(copy.array());
                    free--;
                }
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
        network.dead = 3;
        // Ten round trips.
        network.run(10 * DELAY);
        double after = network.run(2_000);
        assertTrue(after >= 0.8 * before * 7 / 8, after + " Writes of " + before);
    }
}
