package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.ib.settings.SettingsBuilder;
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

/** Selective repeat: only lost packets are sent again, work completes in order. */
class RcSelectiveTest {

    private static final RcOption ON = RcOption.SELECTIVE_REPEAT;

    private final RcPair pair = RcPair.selective();
    private final RcPair.End a = pair.a;
    private final RcPair.End b = pair.b;
    private final Region from = a.region(64 * 1024);
    private final Region to = b.region(64 * 1024);

    private List<Integer> psnsSent() {
        a.transmit(pair.nowNs);
        List<Integer> psns = new ArrayList<>();
        for (String line : a.wireText()) {
            psns.add(Integer.parseInt(line.replaceAll(".*psn=(\\d+).*", "$1")));
        }
        return psns;
    }

    @Test
    void twoPacketsLost_onlyTheseAreSentAgain() {
        RcPair.fill(from, 1);
        a.write(1, from, to, 20 * 1024);
        a.write(2, from, to, 4);
        assertEquals(21, psnsSent().size());
        List<byte[]> packets = new ArrayList<>(a.wire);
        a.wire.clear();
        for (int i = 0; i < packets.size(); i++) {
            if (i != 3 && i != 7) {
                b.receive(packets.get(i), pair.nowNs);
            }
        }
        b.transmit(pair.nowNs);
        assertEquals(List.of("SELECTIVE_ACKNOWLEDGE psn=102 ACK msn=0, 32 bytes"), b.wireText(), "one for all of them");
        byte[] again = b.wire.getFirst().clone();
        pair.deliver(b, a);
        assertEquals(List.of(103, 107), psnsSent());
        a.receive(again, pair.nowNs);
        assertEquals(List.of(103, 107), psnsSent(), "not twice");
        pair.run();
        assertEquals(List.of("1 WRITE SUCCESS 20480", "2 WRITE SUCCESS 4"), a.completions());
        assertTrue(RcPair.same(from, to, 20 * 1024));
    }

    @Test
    void sendsAheadOfALostOne_areDeliveredInOrderAfterIt() {
        for (int i = 0; i < 5; i++) {
            b.postReceive(i, to, 64);
            a.send(i, from, 10 + i);
        }
        a.transmit(pair.nowNs);
        byte[] late = a.wire.removeFirst();
        pair.deliver(a, b);
        assertEquals(List.of(), b.completions());
        b.receive(late, pair.nowNs);
        assertEquals(
                List.of(
                        "0 RECEIVE SUCCESS 10",
                        "1 RECEIVE SUCCESS 11",
                        "2 RECEIVE SUCCESS 12",
                        "3 RECEIVE SUCCESS 13",
                        "4 RECEIVE SUCCESS 14"),
                b.completions());
        b.transmit(pair.nowNs);
        assertEquals(List.of("RC_ACKNOWLEDGE psn=104 ACK msn=5"), b.wireText());
    }

    @Test
    void repeatedPacketLostAgain_isDetectedByLaterPackets() {
        for (int i = 0; i < 4; i++) {
            a.write(i, from, to, 4);
        }
        a.transmit(pair.nowNs);
        a.wire.removeFirst();
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        pair.deliver(b, a);
        assertEquals(List.of(100), psnsSent());
        a.wire.clear();
        a.write(4, from, to, 4);
        assertEquals(List.of(104), psnsSent());
        pair.deliver(a, b);
        b.transmit(pair.nowNs);
        pair.deliver(b, a);
        assertEquals(List.of(100), psnsSent(), "without a time-out");
        pair.run();
        assertEquals(5, a.completions().size());
    }

    @Test
    void receiverNotReady_discardsKeptPackets() {
        a.send(0, from, 4);
        a.send(1, from, 4);
        a.send(2, from, 4);
        a.transmit(pair.nowNs);
        byte[] first = a.wire.removeFirst();
        pair.deliver(a, b);
        b.receive(first, pair.nowNs);
        b.transmit(pair.nowNs);
        assertEquals(
                "RC_ACKNOWLEDGE psn=100 RNR NAK 0.64 ms msn=0", b.wireText().getLast());
        pair.deliver(b, a);
        for (int i = 0; i < 3; i++) {
            b.postReceive(i, to, 64);
        }
        pair.nextDeadline();
        assertEquals(List.of(100, 101, 102), psnsSent());
        pair.run();
        assertEquals(3, a.completions().size());
    }

    @Test
    void extensionNotNegotiated_lostPacket_isAnsweredByANak() {
        RcPair plain = RcPair.plain();
        Region source = plain.a.region(64);
        plain.a.send(1, source, 4);
        plain.a.send(2, source, 4);
        plain.a.transmit(5);
        plain.a.wire.removeFirst();
        plain.deliver(plain.a, plain.b);
        plain.b.transmit(5);
        assertEquals(List.of("RC_ACKNOWLEDGE psn=100 NAK PSN sequence msn=0"), plain.b.wireText());
    }

    private static RcSettings lossy(SettingsBuilder builder, RcOption[] options, long timeOutNs) {
        return builder.mtuBytes(256)
                .retries(7, RcSettings.UNLIMITED)
                .ackTimeoutNs(timeOutNs)
                .options(options)
                .reliableConnection();
    }

    /**
     * Number of packet slots that the sender needs until {@code useful} packets have arrived, with a delay of half a
     * window.
     */
    private static int slots(RcOption[] options, int percent, long seed, int useful) {
        SplittableRandom random = new SplittableRandom(seed);
        // Four round trips: 4.096 us times 2 to the power of 6. The formula for go-back-N does not contain the case
        // that
        // the repeated packet is lost as well. The responder sends one NAK per gap, so only the time-out ends this
        // case.
        long timeOutNs = 262_144;
        RcPair pair = new RcPair(
                lossy(RcPair.builder(RcPair.A_QP, RcPair.B_QP, 100, 900), options, timeOutNs),
                lossy(RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100), options, timeOutNs));
        Region source = pair.a.region(1024);
        Region target = pair.b.region(1024);
        ArrayDeque<byte[]> link = new ArrayDeque<>();
        int done = 0;
        int posted = 0;
        int slot = 0;
        byte[] nothing = {};
        for (int i = 0; i < 64; i++) {
            link.add(nothing);
        }
        while (done < useful / 4) {
            while (posted < useful / 4 && pair.a.send.posted() - pair.a.send.retired() < 60) {
                int id = posted++;
                pair.a.post(
                        WorkOpcode.WRITE,
                        WrFlags.SIGNALLED,
                        w -> w.wrId(id)
                                .remoteAddress(target.baseAddress())
                                .rkey(target.rkey())
                                .addElement(source.localKey(), 0, 1024));
            }
            pair.nowNs += 1_000;
            pair.a.engine.onDeadline(pair.nowNs);
            if (pair.a.wire.isEmpty() && pair.a.engine.hasTransmitWork(pair.nowNs)) {
                pair.a.list.reset(64, 65_507);
                pair.a.engine.fillTransmit(pair.a.builder, 1, pair.nowNs);
                for (int i = 0; i < pair.a.list.packets(); i++) {
                    ByteBuffer copy = ByteBuffer.allocate(pair.a.list.length(i));
                    pair.a.list.copyOut(i, copy);
                    pair.a.wire.add(copy.array());
                }
            }
            link.add(pair.a.wire.isEmpty() ? nothing : pair.a.wire.removeFirst());
            byte[] arrives = link.removeFirst();
            if (arrives != nothing && random.nextInt(100) >= percent) {
                pair.b.receive(arrives, pair.nowNs);
                pair.b.transmit(pair.nowNs);
                pair.deliver(pair.b, pair.a);
            }
            done += pair.a.completions().size();
            slot++;
        }
        return slot;
    }

    @Tag(Seeds.TAG)
    @Test
    void onePercentLost_goodputIsNearlyWhatArrives() {
        long seed = Seeds.one(1);
        // Long enough that the number of losses hardly varies: the goodput of go-back-N has a deviation of 1 %.
        int useful = 100_000;
        double selective = (double) useful / slots(new RcOption[] {ON}, 1, seed, useful);
        double goBack = (double) useful / slots(new RcOption[0], 1, seed, useful);
        double clean = (double) useful / slots(new RcOption[] {ON}, 0, seed, useful);
        assertTrue(clean > 0.99, "clean " + clean);
        assertTrue(selective >= 0.9 * 0.99, "seed " + seed + "L: selective " + selective);
        assertTrue(goBack >= 0.9 * 0.99 / (0.99 + 0.01 * 65), "seed " + seed + "L: go-back-N " + goBack);
    }
}
