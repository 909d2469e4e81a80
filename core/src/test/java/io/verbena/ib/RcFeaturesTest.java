package io.verbena.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.PacketPath;
import io.verbena.ib.packet.Admission;
import io.verbena.ib.packet.PartitionKeys;
import io.verbena.ib.settings.RcOption;
import io.verbena.ib.settings.RcSettings;
import io.verbena.memory.Region;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.PathMigration;
import io.verbena.wire.ib.Bth;
import io.verbena.wire.ib.IbOpcode;
import io.verbena.wire.ib.IbOpcode.Service;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.wire.ib.Icrc;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Path migration, credits, splitting of Reads, congestion control, and the checks before a queue pair. */
class RcFeaturesTest {

    private static final long ALTERNATE = 0xffff_0a00_0102L;
    private static final PacketPath OTHER = new PacketPath(0, ALTERNATE, 4791, 0);

    private final RcPair pair = RcPair.plain();
    private final RcPair.End a = pair.a;
    private final RcPair.End b = pair.b;

    private static IbPacket decoded(byte[] bytes) {
        IbPacket packet = new IbPacket();
        packet.decode(MemorySegment.ofArray(bytes), 0, bytes.length);
        return packet;
    }

    /** Both ends have loaded an alternate path and received the M bit of the other. */
    private void arm(Region from, Region to) {
        a.engine.loadAlternate(OTHER);
        b.engine.loadAlternate(OTHER);
        a.write(50, from, to, 4);
        pair.run();
        a.write(51, from, to, 4);
        pair.run();
        a.completions();
        assertEquals(PathMigration.ARMED, a.engine.migration());
        assertEquals(PathMigration.ARMED, b.engine.migration());
    }

    @Test
    void migration_retriesExhausted_bothEndsUseTheAlternatePath() {
        Region from = a.region(64);
        Region to = b.region(64);
        a.write(1, from, to, 4);
        a.transmit(pair.nowNs);
        assertTrue(decoded(a.wire.peekFirst()).bth().m(), "a connection starts in MIGRATED");
        pair.run();
        arm(from, to);

        a.write(2, from, to, 4);
        for (int i = 0; i < 4; i++) {
            a.transmit(pair.nowNs);
            assertFalse(decoded(a.wire.peekFirst()).bth().m());
            a.wire.clear();
            pair.nextDeadline();
        }
        assertEquals(PathMigration.MIGRATED, a.engine.migration());
        assertEquals(OTHER, a.engine.path());
        assertEquals(Optional.of(AsyncEventType.PATH_MIGRATED), a.engine.pollEvent());
        a.transmit(pair.nowNs);
        assertTrue(decoded(a.wire.peekFirst()).bth().m());
        b.origin.source(0, ALTERNATE);
        a.origin.source(0, ALTERNATE);
        pair.run();
        assertEquals(
                List.of("1 WRITE SUCCESS 4", "2 WRITE SUCCESS 4"),
                List.of("1 WRITE SUCCESS 4", a.completions().getLast()));
        assertEquals(PathMigration.MIGRATED, b.engine.migration());
        assertEquals(Optional.of(AsyncEventType.PATH_MIGRATED), b.engine.pollEvent());
    }

    @Test
    void migration_requestOnThePrimaryPath_isRefusedAndReported() {
        Region from = a.region(64);
        Region to = b.region(64);
        arm(from, to);
        byte[] packet = Crafted.packet(
                IbOpcode.RC_SEND_ONLY, 102, 4, p -> p.bth().a(true).m(true));
        b.receive(packet, pair.nowNs);
        assertEquals(Optional.of(AsyncEventType.PATH_MIGRATION_FAILED), b.engine.pollEvent());
        assertEquals(PathMigration.ARMED, b.engine.migration());
        assertFalse(b.engine.hasTransmitWork(pair.nowNs));
    }

    /** A sender that does not know the PSNs of a connection cannot move it to its alternate path. */
    @Test
    void migration_requestedByAPacketThatIsNotExpected_hasNoEffect() {
        Region from = a.region(64);
        Region to = b.region(64);
        arm(from, to);
        b.origin.source(0, ALTERNATE);
        for (int psn : new int[] {103, 102 + (1 << 20), 102 - (1 << 13), 0x80_0066}) {
            b.receive(Crafted.packet(IbOpcode.RC_SEND_ONLY, psn, 4, p -> p.bth().m(true)), pair.nowNs);
        }
        b.receive(Crafted.packet(IbOpcode.RC_ACKNOWLEDGE, 905, 0, p -> p.bth().m(true)), pair.nowNs);
        assertEquals(PathMigration.ARMED, b.engine.migration());
        assertEquals(Optional.empty(), b.engine.pollEvent());
        assertFalse(b.engine.hasTransmitWork(pair.nowNs));
    }

    @Test
    void readLongerThanTheWindow_isSeveralRequests() {
        RcSettings narrow = RcPair.builder(RcPair.A_QP, RcPair.B_QP, 100, 900)
                .windowPackets(8)
                .reliableConnection();
        RcPair small = new RcPair(narrow, RcPair.settings(RcPair.B_QP, RcPair.A_QP, 900, 100));
        Region into = small.a.region(64 * 1024);
        Region from = small.b.region(64 * 1024);
        RcPair.fill(from, 3);
        small.a.read(1, into, from, 20_000);
        small.a.transmit(5);
        assertEquals(
                List.of("RC_READ_REQUEST psn=100 ack length=4096", "RC_READ_REQUEST psn=104 ack length=4096"),
                small.a.wireText(),
                "half of the window each");
        small.run();
        assertEquals(List.of("1 READ SUCCESS 20000"), small.a.completions());
        assertTrue(RcPair.same(into, from, 20_000));
    }

    @Test
    void credits_negotiated_noReceiverNotReadyOccurs() {
        RcPair both = new RcPair(
                RcPair.builder(RcPair.A_QP, RcPair.B_QP, 100, 900)
                        .options(RcOption.HEEDS_CREDITS)
                        .reliableConnection(),
                RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100)
                        .options(RcOption.REPORTS_CREDITS)
                        .reliableConnection());
        Region from = both.a.region(64);
        Region to = both.b.region(64);
        for (int i = 0; i < 3; i++) {
            both.b.postReceive(i, to, 64);
        }
        for (int i = 0; i < 5; i++) {
            both.a.send(i, from, 4);
            both.a.write(10 + i, from, to, 4);
        }
        both.a.transmit(5);
        assertEquals(
                List.of("RC_SEND_ONLY psn=100 ack, 4 bytes", "RC_WRITE_ONLY psn=101 ack length=4, 4 bytes"),
                both.a.wireText());
        both.deliver(both.a, both.b);
        both.b.transmit(5);
        assertEquals(List.of("RC_ACKNOWLEDGE psn=101 ACK credits=2 msn=2"), both.b.wireText());
        both.deliver(both.b, both.a);
        both.a.transmit(5);
        both.deliver(both.a, both.b);
        assertEquals(3, both.b.completions().size());
        both.b.transmit(5);
        both.deliver(both.b, both.a);
        both.a.transmit(5);
        both.deliver(both.a, both.b);
        both.b.transmit(5);
        assertEquals(
                List.of("RC_ACKNOWLEDGE psn=106 RNR NAK 0.64 ms msn=6"),
                both.b.wireText(),
                "the probe found no receive");
        both.deliver(both.b, both.a);
        both.b.postReceive(3, to, 64);
        both.b.postReceive(4, to, 64);
        while (both.nextDeadline()) {
            both.run();
        }
        both.run();
        assertEquals(10, both.a.completions().size());
    }

    @Test
    void receivesPosted_afterNoneWereReported_areReportedByARepeatedAcknowledgement() {
        RcPair.End reporting = new RcPair(
                        RcPair.settings(RcPair.A_QP, RcPair.B_QP, 100, 900),
                        RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100)
                                .options(RcOption.REPORTS_CREDITS)
                                .reliableConnection())
                .b;
        Region to = reporting.region(64);
        reporting.postReceive(1, to, 64);
        reporting.receive(Crafted.request(IbOpcode.RC_SEND_ONLY, 100, 4), 5);
        reporting.transmit(5);
        reporting.postReceive(2, to, 64);
        reporting.transmit(5);
        assertEquals(
                List.of("RC_ACKNOWLEDGE psn=100 ACK credits=0 msn=1", "RC_ACKNOWLEDGE psn=100 ACK credits=1 msn=1"),
                reporting.wireText());
    }

    @Test
    void markedPackets_sendAtMostOneNotificationPerFiftyMicroseconds() {
        RcPair.End marked = new RcPair(
                        RcPair.settings(RcPair.A_QP, RcPair.B_QP, 100, 900),
                        RcPair.builder(RcPair.B_QP, RcPair.A_QP, 900, 100)
                                .options(RcOption.CONGESTION_CONTROL)
                                .reliableConnection())
                .b;
        marked.origin.trafficClass(PacketPath.CONGESTION_EXPERIENCED);
        Region to = marked.region(64);
        int notifications = 0;
        for (int i = 0; i < 100; i++) {
            long nowNs = Long.MAX_VALUE - 20_000 + i * 1_000L;
            marked.receive(Crafted.withReth(IbOpcode.RC_WRITE_ONLY, 100 + i, 4, to.baseAddress(), to.rkey(), 4), nowNs);
            marked.transmit(nowNs);
            while (!marked.wire.isEmpty()) {
                byte[] packet = marked.wire.removeFirst();
                notifications += decoded(packet).opcode() == IbOpcode.CNP ? 1 : 0;
            }
        }
        assertEquals(2, notifications);
        // A peer that has not negotiated congestion control receives no notification.
        b.origin.trafficClass(PacketPath.CONGESTION_EXPERIENCED);
        b.receive(Crafted.request(IbOpcode.RC_SEND_ONLY, 100, 4), 5);
        b.transmit(5);
        assertEquals(1, b.wire.size());
        assertTrue(RcPair.text(b.wire.getFirst()).contains("RNR"));
    }

    @Test
    void notification_lowersTheRate_whichRecovers() {
        RateControl rate = new RateControl(RateControl.Figures.TEN_GIGABIT);
        double full = rate.rate();
        long nowNs = Long.MAX_VALUE - 1000;
        assertEquals(Long.MAX_VALUE, rate.nextDeadlineNs(nowNs));
        rate.onNotification(nowNs);
        assertEquals(full / 2, rate.rate(), 1, "alpha begins at 1");
        for (int i = 0; i < 20; i++) {
            rate.onNotification(nowNs += 50_000);
        }
        assertEquals(1.25e6, rate.rate(), 1, "the rate remains at least 10 Mbit/s");
        long begun = nowNs;
        long sent = 0;
        while (rate.nextDeadlineNs(nowNs) != Long.MAX_VALUE) {
            if (rate.maySend(nowNs)) {
                rate.sent(1024, nowNs);
                sent += 1024;
            } else {
                nowNs = rate.nextDeadlineNs(nowNs);
                rate.onDeadline(nowNs);
            }
        }
        assertEquals(full, rate.rate());
        assertTrue(nowNs - begun < 100_000_000, "within 100 ms: " + (nowNs - begun));
        assertTrue(sent < full * (nowNs - begun) / 1e9, "less than the line rate");
    }

    @Test
    void pacing_limited_keepsTheRate() {
        RateControl rate = new RateControl(new RateControl.Figures(1e9, 1e6, 1, 10_000));
        rate.onNotification(0);
        long sent = 0;
        long nowNs = 0;
        for (int i = 0; i < 50; i++) {
            while (rate.maySend(nowNs)) {
                rate.sent(1000, nowNs);
                sent += 1000;
            }
            nowNs += 1_000;
        }
        assertTrue(sent >= 20_000 && sent <= 40_000, "half of 1 GB/s for 50 us and a burst: " + sent);
    }

    // The checks before a queue pair.

    private record Facts(Service service, boolean takesRequests, boolean takesResponses, int pKey, int qKey)
            implements Admission.Target {}

    private static Admission.Outcome admit(byte[] packet, Facts facts) {
        return new Admission().admit(decoded(packet), facts);
    }

    @Test
    void partitionKeys_mustMatch() {
        Facts full = new Facts(Service.RC, true, true, 0xffff, 0);
        int[] keys = {0xffff, 0x7fff, 0x0000, 0x8000, 0x1234};
        boolean[] right = {true, true, false, false, false};
        for (int i = 0; i < keys.length; i++) {
            int key = keys[i];
            byte[] packet = Crafted.packet(
                    IbOpcode.RC_SEND_ONLY, 1, 4, p -> p.bth().pKey(key).m(true));
            assertEquals(
                    right[i] ? Admission.Outcome.ADMITTED : Admission.Outcome.WRONG_PARTITION, admit(packet, full));
        }
        assertFalse(PartitionKeys.match(0x7fff, 0x7fff), "two limited members");
    }

    @Test
    void wrongStateServiceOrQKey_isNotAdmitted() {
        byte[] request = Crafted.request(IbOpcode.RC_SEND_ONLY, 1, 4);
        assertEquals(Admission.Outcome.WRONG_STATE, admit(request, new Facts(Service.RC, false, false, 0xffff, 0)));
        assertEquals(Admission.Outcome.WRONG_SERVICE, admit(request, new Facts(Service.UD, true, true, 0xffff, 0)));
        byte[] answer = Crafted.acknowledge(1, 31, 1);
        assertEquals(Admission.Outcome.WRONG_STATE, admit(answer, new Facts(Service.RC, true, false, 0xffff, 0)));
        byte[] toManagement =
                Crafted.packet(IbOpcode.RC_SEND_ONLY, 1, 4, p -> p.bth().destQp(0));
        assertEquals(
                Admission.Outcome.WRONG_SERVICE, admit(toManagement, new Facts(Service.RC, true, true, 0xffff, 0)));
        Facts datagrams = new Facts(Service.UD, true, true, 0xffff, 5);
        byte[] wrong = Crafted.packet(IbOpcode.UD_SEND_ONLY, 1, 4, p -> p.deth().set(6, 1));
        byte[] right = Crafted.packet(IbOpcode.UD_SEND_ONLY, 1, 4, p -> p.deth().set(5, 1));
        assertEquals(Admission.Outcome.WRONG_QUEUE_KEY, admit(wrong, datagrams));
        assertEquals(Admission.Outcome.ADMITTED, admit(right, datagrams));
    }

    @Test
    void undefinedOpcodes_areDroppedWithoutAnAnswer() {
        for (int opcode : new int[] {0x15, 0x1c, 0x1d}) {
            byte[] packet = Crafted.request(IbOpcode.RC_SEND_ONLY, 100, 32);
            packet[0] = (byte) opcode;
            assertEquals(
                    IbPacketOutcome.UNKNOWN_OPCODE,
                    new IbPacket().decode(MemorySegment.ofArray(packet), 0, packet.length));
        }
        b.receive(Crafted.packet(IbOpcode.CNP, 0, 16, p -> {}), pair.nowNs);
        b.receive(Crafted.request(IbOpcode.UC_SEND_ONLY, 100, 16), pair.nowNs);
        assertFalse(b.engine.hasTransmitWork(pair.nowNs));
        assertTrue(b.engine.failure().isEmpty());
    }

    @Test
    void icrc_wrongSumOrIdentification_isNotAdmitted() {
        Icrc icrc = new Icrc();
        for (long high : new long[] {0, 0xfe80L << 48, 0xfd00L << 48}) {
            long low = high == 0 ? Station.ADDRESS : 0;
            Icrc.Flow flow = new Icrc.Flow().source(high, low + 1, 50_000).target(high, low + 2, 4791);
            byte[] packet = Crafted.request(IbOpcode.RC_SEND_ONLY, 100, 16);
            ByteBuffer bytes = ByteBuffer.wrap(packet);
            MemorySegment segment = MemorySegment.ofArray(packet);
            int length = packet.length - Icrc.LENGTH;
            Icrc.write(segment, length, icrc.compute(bytes, 0, length, flow, 1));
            Admission admission = new Admission();
            IbPacket at = new IbPacket();
            bytes.clear();
            Admission.Outcome damaged = Admission.Outcome.DAMAGED;
            Admission.Outcome fine = Admission.Outcome.ADMITTED;
            assertEquals(fine, admission.whole(at, segment, bytes, 0, packet.length, flow, 1));
            assertEquals(fine, admission.whole(at, segment, bytes.clear(), 0, packet.length, flow, Admission.UNKNOWN));
            for (int guess = 0; guess < 3; guess++) {
                int likely = Admission.probably(guess);
                assertEquals(fine, admission.whole(at, segment, bytes.clear(), 0, packet.length, flow, likely));
            }
            assertEquals(
                    high == 0 ? damaged : fine,
                    admission.whole(at, segment, bytes.clear(), 0, packet.length, flow, 0),
                    "IPv4 counts the identification, IPv6 has none");
            packet[20] ^= 1;
            assertEquals(damaged, admission.whole(at, segment, bytes.clear(), 0, packet.length, flow, 1));
            assertEquals(
                    damaged, admission.whole(at, segment, bytes.clear(), 0, packet.length, flow, Admission.UNKNOWN));
            assertEquals(Admission.Outcome.MALFORMED, admission.whole(at, segment, bytes.clear(), 0, 15, flow, 1));
            assertEquals(Bth.DEFAULT_P_KEY, at.bth().pKey());
        }
    }
}
