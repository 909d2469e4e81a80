package io.verbena.tools.impair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.base.Times;
import io.verbena.wire.ib.IbOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ImpairmentTest {

    private static final long MS = 1_000_000;

    /** Not 0, and such that it wraps around during a test. */
    private static final long START = Long.sum(Long.MAX_VALUE, -3 * MS);

    private final List<String> events = new ArrayList<>();

    private Impairment engine(String... lines) {
        return engine(Impairment.Settings.of(7), lines);
    }

    private Impairment engine(Impairment.Settings settings, String... lines) {
        return new Impairment(settings, RuleReader.script(List.of(lines)), events::add);
    }

    private static Packet send(int sourcePort) {
        return Frames.packet(Frames.roceFrame(true, sourcePort, PacketPath.ECT_0, IbOpcode.RC_SEND_ONLY, 64));
    }

    private static List<Packet> due(Impairment engine, long nowNs) {
        List<Packet> packets = new ArrayList<>();
        Optional<Impairment.Passing> next = engine.poll(nowNs);
        while (next.isPresent()) {
            packets.add(next.get().packet());
            next = engine.poll(nowNs);
        }
        return packets;
    }

    @Test
    void noRules_packetsPassAtOnceInOrder() {
        Impairment engine = engine();
        for (int i = 0; i < 100; i++) {
            engine.offer(Side.A, send(1000 + i), START + i);
        }
        List<Packet> passed = due(engine, START + 100);
        assertEquals(100, passed.size());
        for (int i = 0; i < 100; i++) {
            assertEquals(1000 + i, passed.get(i).sourcePort());
        }
        assertEquals(Times.NEVER, engine.nextDeadlineNs());
        assertEquals(100, engine.side(Side.A).passed);
        assertEquals(0, engine.side(Side.B).packets);
    }

    @Test
    void onePathOfEight_cut_loseExactlyItsPackets() {
        Impairment engine = engine("path sport%8==3 loss 100%");
        for (int i = 0; i < 800; i++) {
            engine.offer(Side.A, send(49152 + i), START);
        }
        List<Packet> passed = due(engine, START);
        assertEquals(700, passed.size());
        assertTrue(passed.stream().noneMatch(each -> each.sourcePort() % 8 == 3));
        RuleFigures figures = engine.rules().getFirst();
        assertEquals(100, figures.matched);
        assertEquals(100, figures.lost);
    }

    @ParameterizedTest
    @ValueSource(doubles = {0.1, 1, 10, 50})
    void share_ofManyPackets_isWithinFiveDeviations(double percent) {
        Impairment engine = engine("loss " + percent + "% ");
        int packets = 40_000;
        Packet packet = send(1);
        for (int i = 0; i < packets; i++) {
            engine.offer(Side.A, packet, START);
        }
        double share = percent / 100;
        double deviation = Math.sqrt(packets * share * (1 - share));
        assertEquals(packets * share, engine.rules().getFirst().lost, 5 * deviation);
    }

    @Test
    void allEffects_counted_theCountsAreWhatHappened() {
        Impairment engine = engine("duplicate 10% trim 10% mark 20% corrupt 5%");
        int bytes = send(1).bytes().length;
        for (int i = 0; i < 2000; i++) {
            engine.offer(Side.A, send(1), START);
        }
        List<Packet> passed = due(engine, START);
        RuleFigures figures = engine.rules().getFirst();
        assertEquals(2000 + figures.duplicated, passed.size());
        long trimmed =
                passed.stream().filter(each -> each.bytes().length < bytes).count();
        assertTrue(trimmed >= figures.trimmed && figures.trimmed > 100, "duplicates may be trimmed, too: " + trimmed);
        long marked = passed.stream()
                .filter(each -> Frames.ecn(each.bytes()) == PacketPath.CONGESTION_EXPERIENCED)
                .count();
        assertTrue(marked >= figures.marked && figures.marked > 200, "marked: " + marked);
        long wrong = passed.stream()
                .filter(each -> !Frames.icrcIntact(each.bytes(), true))
                .count();
        assertTrue(wrong >= trimmed && wrong <= trimmed + 2 * figures.corrupted, "wrong: " + wrong);
        assertEquals(0, figures.unfit);
    }

    @Test
    void sameSeed_sameResult_andAnotherSeedAnother() {
        assertEquals(result(7), result(7));
        assertNotEquals(result(7), result(8));
    }

    private List<String> result(long seed) {
        Impairment engine =
                engine(Impairment.Settings.of(seed), "loss 10% corrupt 10% delay 1ms jitter 1ms reorder 5%");
        List<String> result = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            engine.offer(Side.A, send(1000 + i), START + i);
        }
        for (int step = 0; step < 50; step++) {
            for (Packet each : due(engine, START + step * MS / 10)) {
                result.add(step + " " + each.sourcePort() + " " + java.util.Arrays.hashCode(each.bytes()));
            }
        }
        return result;
    }

    @Test
    void delay_beforeItsTime_isHeld() {
        Impairment engine = engine("from==a delay 5ms");
        engine.offer(Side.A, send(1), START);
        engine.offer(Side.B, send(2), START);
        assertEquals(List.of(2), ports(due(engine, START)));
        assertEquals(START + 5 * MS, engine.nextDeadlineNs());
        assertEquals(List.of(), due(engine, START + 5 * MS - 1));
        assertEquals(List.of(1), ports(due(engine, START + 5 * MS)));
    }

    @Test
    void jitter_ofOneFlow_keepsItsOrder_andReorderingDoesNot() {
        for (String rule : List.of("delay 1ms jitter 5ms", "reorder 10% by 3ms")) {
            Impairment engine = engine(rule);
            for (int i = 0; i < 1000; i++) {
                Packet packet = send(49152);
                FrameReader.u16(packet.bytes(), packet.shape().contentAt() + 10, i);
                engine.offer(Side.A, packet, START + i * 10_000L);
            }
            List<Packet> passed = due(engine, START + 60 * MS);
            int late = 0;
            int last = -1;
            for (Packet each : passed) {
                int number = FrameReader.u16(each.bytes(), each.shape().contentAt() + 10);
                late += number < last ? 1 : 0;
                last = Math.max(last, number);
            }
            assertEquals(1000, passed.size());
            assertEquals(engine.rules().getFirst().reordered, late);
            assertEquals(rule.startsWith("reorder"), late > 50);
        }
    }

    @Test
    void severalRules_appliedOneAfterTheOther_theSecondDoesNotSeeWhatTheFirstLost() {
        Impairment engine = engine("sport==1-10 loss 100%", "delay 1ms", "sport==11 delay 2ms");
        for (int port = 1; port <= 20; port++) {
            engine.offer(Side.A, send(port), START);
        }
        assertEquals(9, due(engine, START + MS).size());
        assertEquals(List.of(11), ports(due(engine, START + 3 * MS)));
        assertEquals(10, engine.rules().get(1).matched);
        assertEquals(1, engine.rules().get(2).matched);
    }

    @Test
    void script_overTime_changesTheRules() {
        Impairment engine = engine(
                "loss 0%",
                "at 2ms: path sport%8==3 loss 100%", "at 4ms: clear sport%8==3", "at 5ms: loss 100%", "at 6ms: clear");
        engine.offer(Side.A, Frames.packet(Frames.arp()), START - 100 * MS);
        List<Long> passedAt = new ArrayList<>();
        for (long at = 0; at < 8; at++) {
            engine.offer(Side.A, send(3), START + at * MS);
            if (due(engine, START + at * MS).stream().anyMatch(each -> each.sourcePort() == 3)) {
                passedAt.add(at);
            }
        }
        assertEquals(List.of(0L, 1L, 4L, 6L, 7L), passedAt);
        assertEquals(4, events.size());
        assertEquals("at 0.002 s: sport%8==3 loss 100%", events.getFirst());
        assertEquals(2 * MS, engine.rules().get(1).sinceNs());
        assertEquals(4 * MS, engine.rules().get(1).untilNs());
        assertEquals(5 * MS, engine.rules().getFirst().untilNs());
        assertEquals(6 * MS, engine.rules().getLast().untilNs());
    }

    @Test
    void rulesWithEqualConditions_areOneRule_ofWhichALaterLineChangesWhatItNames() {
        Impairment engine = engine("loss 0%", "delay 1ms", "at 2ms: loss 100%");
        engine.offer(Side.A, send(1), START);
        assertEquals(List.of(), due(engine, START));
        assertEquals(1, due(engine, START + MS).size());
        engine.offer(Side.A, send(1), START + 2 * MS);
        assertEquals(2, engine.rules().size());
        assertEquals("loss 0% delay 1ms", engine.rules().getFirst().rule());
        assertEquals(2 * MS, engine.rules().getFirst().untilNs());
        assertEquals("loss 100% delay 1ms", engine.rules().getLast().rule());
        assertEquals(1, engine.rules().getLast().lost);
    }

    @Test
    void script_withoutTraffic_eventsComeInTheirTime() {
        Impairment engine = engine("at 1s: loss 100%");
        assertEquals(Times.NEVER, engine.nextDeadlineNs());
        engine.offer(Side.A, send(1), START);
        due(engine, START);
        assertEquals(START + 1000 * MS, engine.nextDeadlineNs());
        engine.turn(START + 1000 * MS);
        assertEquals(1, events.size());
    }

    @Test
    void arp_spared_unlessNamed() {
        Impairment engine = engine("loss 100%");
        engine.offer(Side.A, Frames.packet(Frames.arp()), START);
        assertEquals(1, due(engine, START).size());
        Impairment named = engine("proto==any loss 100%");
        named.offer(Side.A, Frames.packet(Frames.arp()), START);
        assertEquals(0, due(named, START).size());
    }

    @Test
    void conditions_byQueuePairOpcodeAndProtocol_selectPackets() {
        assertMatches("qp==0x11", true);
        assertMatches("qp!=0x11", false);
        assertMatches("qp==1,0x11", true);
        assertMatches("opcode==RC_SEND*", true);
        assertMatches("opcode==rc_send_only", true);
        assertMatches("opcode!=RC_SEND_ONLY", false);
        assertMatches("opcode==0x04", true);
        assertMatches("proto==roce dport==4791", true);
        assertMatches("proto==tcp", false);
        assertMatches("size==80", true);
        assertMatches("from==b", false);
    }

    private void assertMatches(String conditions, boolean expected) {
        Impairment engine = engine(conditions + " loss 100%");
        engine.offer(Side.A, send(1), START);
        assertEquals(expected ? 1 : 0, engine.rules().getFirst().matched, conditions);
    }

    @Test
    void tcpPacket_hasNoQueuePair_soThatNoneDiffers() {
        Impairment engine = engine("qp!=5 loss 100%");
        engine.offer(Side.A, Frames.packet(Frames.tcpFrame(true, 5)), START);
        assertEquals(0, engine.rules().getFirst().matched);
    }

    @Test
    void tooManyHeld_furtherOnesAreLostAndCounted() {
        Impairment.Settings settings = new Impairment.Settings(1, Trimming.SAME_DSCP, 10, 1 << 20);
        Impairment engine = engine(settings, "delay 1s");
        for (int i = 0; i < 15; i++) {
            engine.offer(Side.A, send(i), START);
        }
        assertEquals(10, engine.held());
        assertEquals(5, engine.overflowed());
        assertEquals(10, due(engine, START + 1000 * MS).size());
        engine.offer(Side.A, send(1), START + 1000 * MS);
        assertEquals(5, engine.overflowed());
    }

    @Test
    void tooManyBytesHeld_furtherOnesAreLost() {
        Impairment.Settings settings = new Impairment.Settings(1, Trimming.SAME_DSCP, 100, 300);
        Impairment engine = engine(settings, "duplicate 100% delay 1s");
        engine.offer(Side.A, send(1), START);
        engine.offer(Side.A, send(1), START);
        assertEquals(2, engine.held());
        assertEquals(2, engine.overflowed());
    }

    @Test
    void unfitPackets_counted() {
        Impairment engine = engine("proto==any mark 100% trim 100%");
        engine.offer(Side.A, Frames.packet(Frames.arp()), START);
        assertEquals(2, engine.rules().getFirst().unfit);
        assertEquals(0, engine.rules().getFirst().marked);
    }

    @Test
    void clearOfUnknownRule_rejected() {
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> engine("sport==1 loss 1%", "at 1s: clear sport==2"));
        assertTrue(String.valueOf(e.getMessage()).contains("sport==1"));
        assertFalse(String.valueOf(e.getMessage()).isEmpty());
    }

    private static List<Integer> ports(List<Packet> packets) {
        return packets.stream().map(Packet::sourcePort).toList();
    }
}
