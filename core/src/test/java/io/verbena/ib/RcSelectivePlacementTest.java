package io.verbena.ib;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.ib.packet.Psn;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Selective repeat: packets that arrive early are placed at once where the order of memory permits it, and responses
 * too.
 */
class RcSelectivePlacementTest {

    private static final RcOption ON = RcOption.SELECTIVE_REPEAT;
    private static final int MTU = 1024;
    private static final int SEEDS = 100;

    private final RcPair pair = pair(100, 900, 128);
    private final RcPair.End a = pair.a;
    private final RcPair.End b = pair.b;
    private final Region from = a.region(64 * MTU);
    private final Region to = b.region(64 * MTU);

    private static RcPair pair(int aPsn, int bPsn, int window) {
        return new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, aPsn, bPsn)
                        .retries(7, RcSettings.UNLIMITED)
                        .windowPackets(window)
                        .options(ON)
                        .reliableConnection(),
                RcPair.builder(RcPair.B_QP, RcPair.A_QP, bPsn, aPsn)
                        .retries(7, RcSettings.UNLIMITED)
                        .windowPackets(window)
                        .options(ON)
                        .reliableConnection());
    }

    private static byte at(Region region, int offset) {
        return region.segment().get(JAVA_BYTE, offset);
    }

    private static List<String> texts(RcPair.End end) {
        return end.wireText().stream().map(line -> line.replace("RC_", "")).toList();
    }

    @Test
    void writeMiddleAfterALostOne_isPlacedAtOnce_theLastPacketIsNot() {
        from.segment().fill((byte) 7);
        a.write(1, from, to, 5 * MTU);
        a.transmit(pair.nowNs);
        List<byte[]> packets = new ArrayList<>(a.wire);
        a.wire.clear();
        b.receive(packets.get(0), pair.nowNs);
        for (int i = 2; i < 5; i++) {
            b.receive(packets.get(i), pair.nowNs);
        }
        assertEquals(0, at(to, MTU), "lost");
        assertEquals(7, at(to, 2 * MTU), "placed");
        assertEquals(7, at(to, 4 * MTU - 1), "placed");
        assertEquals(0, at(to, 4 * MTU), "the last packet is placed last");
        b.receive(packets.get(1), pair.nowNs);
        assertEquals(7, at(to, MTU));
        assertEquals(7, at(to, 5 * MTU - 1));
        pair.run();
        assertEquals(List.of("1 WRITE SUCCESS 5120"), a.completions());
    }

    @Test
    void laterWriteToTheSameBytes_isNotPlacedBeforeALostOne() {
        from.segment().fill((byte) 1);
        a.write(1, from, to, 3 * MTU);
        a.transmit(pair.nowNs);
        List<byte[]> first = new ArrayList<>(a.wire);
        a.wire.clear();
        from.segment().fill((byte) 2);
        a.write(2, from, to, 3 * MTU);
        a.transmit(pair.nowNs);
        b.receive(first.get(0), pair.nowNs);
        b.receive(first.get(2), pair.nowNs);
        pair.deliver(a, b);
        assertEquals(0, at(to, 2 * MTU));
        b.receive(first.get(1), pair.nowNs);
        for (int i = 0; i < 3; i++) {
            assertEquals(2, at(to, i * MTU), "the later Write is executed later");
        }
        pair.run();
        assertEquals(2, a.completions().size());
    }

    @Test
    void keyRevoked_betweenPlacementAndExecution_writeIsRefused() {
        a.write(1, from, to, 4 * MTU);
        a.transmit(pair.nowNs);
        List<byte[]> packets = new ArrayList<>(a.wire);
        a.wire.clear();
        b.receive(packets.get(0), pair.nowNs);
        b.receive(packets.get(2), pair.nowNs);
        b.regions.invalidate(to.rkey(), 1);
        b.receive(packets.get(1), pair.nowNs);
        b.transmit(pair.nowNs);
        assertEquals("ACKNOWLEDGE psn=101 NAK remote access msn=0", texts(b).getLast());
    }

    @Test
    void responsesLost_onlyTheseAreRequestedAndSentAgain() {
        RcPair.fill(to, 3);
        a.read(1, from, to, 20 * MTU);
        pair.a.transmit(pair.nowNs);
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        List<byte[]> responses = new ArrayList<>(b.wire);
        b.wire.clear();
        assertEquals(20, responses.size());
        for (int i = 0; i < 20; i++) {
            if (i != 3 && i != 7 && i != 8) {
                a.receive(responses.get(i), pair.nowNs);
            }
        }
        a.transmit(pair.nowNs);
        assertEquals(List.of("READ_REQUEST psn=103 ack length=1024", "READ_REQUEST psn=107 ack length=2048"), texts(a));
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        assertEquals(
                List.of(
                        "READ_RESPONSE_ONLY psn=103 ACK msn=1, 1024 bytes",
                        "READ_RESPONSE_FIRST psn=107 ACK msn=1, 1024 bytes",
                        "READ_RESPONSE_LAST psn=108 ACK msn=1, 1024 bytes"),
                texts(b));
        pair.run();
        assertEquals(List.of("1 READ SUCCESS 20480"), a.completions());
        assertTrue(RcPair.same(from, to, 20 * MTU));
    }

    @Test
    void wholeReadLostBetweenWrites_onlyTheReadIsRepeated() {
        RcPair.fill(to, 3);
        Region into = a.region(MTU);
        a.write(0, from, to, 4);
        a.read(1, into, to, MTU);
        a.write(2, from, to, 4);
        a.read(3, into, to, MTU);
        a.transmit(pair.nowNs);
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        b.wire.removeIf(each -> RcPair.text(each).contains("psn=101 "));
        pair.deliver(b, a);
        a.transmit(pair.nowNs);
        assertEquals(List.of("READ_REQUEST psn=101 ack length=1024"), texts(a));
        pair.run();
        assertEquals(
                List.of("0 WRITE SUCCESS 4", "1 READ SUCCESS 1024", "2 WRITE SUCCESS 4", "3 READ SUCCESS 1024"),
                a.completions());
    }

    @Test
    void partOfARead_thatWasNotRequestedSo_isDropped() {
        a.read(1, from, to, 3 * MTU);
        a.transmit(pair.nowNs);
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        b.wire.clear();
        long address = to.baseAddress() + MTU;
        int rkey = to.rkey();
        IbOpcode opcode = IbOpcode.RC_READ_REQUEST;
        b.receive(Crafted.withReth(opcode, 101, 0, address, rkey, 1000), pair.nowNs);
        b.receive(Crafted.withReth(opcode, 101, 0, address, rkey, 3 * MTU), pair.nowNs);
        b.receive(Crafted.withReth(opcode, 101, 0, address + 1, rkey, MTU), pair.nowNs);
        b.transmit(pair.nowNs);
        assertEquals(List.of(), texts(b));
    }

    @Test
    void readsWithOnePercentLoss_fewPacketsAreSentAgain() {
        SplittableRandom random = new SplittableRandom(1);
        int packets = 0;
        int done = 0;
        int posted = 0;
        int reads = 400;
        while (done < reads) {
            while (posted < reads && a.send.posted() - a.send.retired() < 8) {
                a.read(posted++, from, to, 50 * MTU);
            }
            a.transmit(pair.nowNs);
            pair.deliver(a, b);
            b.transmit(pair.nowNs);
            packets += b.wire.size();
            b.wire.removeIf(each -> random.nextInt(100) == 0);
            pair.deliver(b, a);
            if (!a.engine.hasTransmitWork(pair.nowNs)) {
                pair.nextDeadline();
            }
            done += a.completions().size();
        }
        int sent = packets;
        assertTrue(sent < reads * 50 * 1.05, () -> "response packets sent: " + sent + " for " + reads * 50);
    }

    // Writes before a lost Read request were acknowledged together while the requester was repeating them.
    @Test
    void lossyNetwork_seedWithAWriteThatEndsWhileItIsRepeated_bytesAreRight() {
        new Run(-4807818494742135893L).all();
    }

    @Tag(Seeds.TAG)
    @Test
    void lossyNetwork_anySeed_bytesAndOrderOfMemoryAreRight() {
        Seeds.each(SEEDS, seed -> new Run(seed).all());
    }

    /**
     * Writes and Reads of random ranges, compared with a model. Writes to the same memory are executed in order. Reads
     * use other memory, because a later Write without a fence may precede a repeated Read.
     */
    private static final class Run {
        private static final int SIZE = 24_000;
        private static final int OPERATIONS = 60;

        final SplittableRandom random;
        final RcPair pair;
        final Region source;
        final Region remote;
        final List<Region> results = new ArrayList<>();
        final List<byte[]> expected = new ArrayList<>();
        final byte[] model = new byte[SIZE];
        int posted;
        int done;

        Run(long seed) {
            random = new SplittableRandom(seed);
            int aPsn = random.nextInt(2) == 0 ? Psn.MASK - random.nextInt(60) : random.nextInt(Psn.MASK + 1);
            pair = pair(aPsn, random.nextInt(Psn.MASK + 1), 2 + random.nextInt(60));
            source = pair.b.region(SIZE);
            RcPair.fill(source, (int) seed);
            remote = pair.b.region(SIZE);
        }

        void all() {
            int loss = 1 + random.nextInt(6);
            int idle = 0;
            while (done < OPERATIONS) {
                post();
                pair.a.transmit(pair.nowNs);
                pair.b.transmit(pair.nowNs);
                boolean moved = move(pair.a, pair.b, loss) | move(pair.b, pair.a, loss);
                done += pair.a.completions().size();
                assertTrue(pair.a.engine.failure().isEmpty(), () -> "failed: " + pair.a.engine.failure());
                assertTrue(pair.b.engine.failure().isEmpty(), () -> "failed: " + pair.b.engine.failure());
                if (!moved) {
                    pair.nextDeadline();
                    assertTrue(idle++ < 10_000, "no progress");
                }
            }
            check(model, remote, "remote memory");
            for (int i = 0; i < results.size(); i++) {
                check(expected.get(i), results.get(i), "Read " + i);
            }
        }

        private static void check(byte[] right, Region region, String what) {
            for (int i = 0; i < right.length; i++) {
                if (at(region, i) != right[i]) {
                    throw new AssertionError(what + " differs at " + i);
                }
            }
        }

        void post() {
            for (int i = random.nextInt(4); i > 0 && posted < OPERATIONS; i--) {
                int id = posted++;
                int length = 1 + random.nextInt(random.nextBoolean() ? 12_000 : 1_500);
                int offset = random.nextInt(SIZE - length);
                boolean write = random.nextBoolean();
                Region local = pair.a.region(length);
                if (write) {
                    RcPair.fill(local, id * 77);
                    for (int k = 0; k < length; k++) {
                        model[offset + k] = at(local, k);
                    }
                } else {
                    results.add(local);
                    expected.add(source.segment().asSlice(offset, length).toArray(JAVA_BYTE));
                }
                Region target = write ? remote : source;
                pair.a.post(
                        write ? WorkOpcode.WRITE : WorkOpcode.READ,
                        WrFlags.SIGNALLED,
                        w -> w.wrId(id)
                                .remoteAddress(target.baseAddress() + offset)
                                .rkey(target.rkey())
                                .addElement(local.localKey(), 0, length));
            }
        }

        private boolean move(RcPair.End from, RcPair.End to, int loss) {
            List<byte[]> packets = new ArrayList<>(from.wire);
            from.wire.clear();
            for (byte[] each : packets) {
                int fate = random.nextInt(100);
                if (fate < loss) {
                    continue;
                }
                if (fate < 2 * loss) {
                    from.wire.addLast(each);
                    continue;
                }
                to.receive(each, pair.nowNs);
                if (fate < 3 * loss) {
                    to.receive(each, pair.nowNs);
                }
            }
            return !packets.isEmpty();
        }
    }
}
