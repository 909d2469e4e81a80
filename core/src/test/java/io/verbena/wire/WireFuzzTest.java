package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.verbena.wire.ib.IbPacket;
import io.verbena.wire.ib.IbPacketOutcome;
import io.verbena.wire.ib.Icrc;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/**
 * Any bytes give a declared outcome: no exception, nothing read outside, nothing without end. In an ordinary run the
 * kept corpus is replayed; with JAZZER_FUZZ=1 new inputs are sought.
 */
class WireFuzzTest {
    private static void within(long offset, long length, long limit) {
        boolean inside = offset >= 0 && length >= 0 && offset + length <= limit;
        assertTrue(inside, () -> offset + "+" + length + " of " + limit);
    }

    @FuzzTest
    void anyBytes_ulpdu_declaredOutcome(byte[] data) {
        byte[] bytes = data.length > 0xffff ? Arrays.copyOf(data, 0xffff) : data;
        MemorySegment segment = MemorySegment.ofArray(bytes);
        Ulpdu ulpdu = new Ulpdu();
        UlpduOutcome outcome = ulpdu.decode(segment, 0, bytes.length);
        within(ulpdu.payloadOffset(), ulpdu.payloadLength(), bytes.length);
        assertEquals(bytes.length, ulpdu.payloadOffset() + ulpdu.payloadLength());
        assertEquals(outcome == UlpduOutcome.TOO_SHORT, ulpdu.headerLength() == 0);
        if (outcome == UlpduOutcome.OK) {
            assertEquals(ulpdu.tagged(), ulpdu.opcode().tagged());
            int fixed = ulpdu.opcode().fixedPayloadLength();
            assertTrue(fixed < 0 || fixed == ulpdu.payloadLength());
        } else {
            assertFalse(outcome.terminateCode() == TerminateCode.UNKNOWN);
        }
        assertTrue(ulpdu.describe(new StringBuilder()).length() < 200);
    }

    @FuzzTest
    void anyBytes_infinibandPacket_declaredOutcome(byte[] data) {
        byte[] bytes = data.length > 0xffff ? Arrays.copyOf(data, 0xffff) : data;
        IbPacket packet = new IbPacket();
        if (packet.decode(MemorySegment.ofArray(bytes), 0, bytes.length) == IbPacketOutcome.OK) {
            int padding = packet.bth().pad();
            within(packet.payloadOffset(), packet.payloadBytes() + padding + Icrc.LENGTH, bytes.length);
            assertEquals(bytes.length, packet.payloadOffset() + packet.payloadBytes() + padding + Icrc.LENGTH);
            assertTrue(packet.describe(new StringBuilder()).length() < 300);
        }
    }

    @FuzzTest
    void anyBytes_fpduPrinter_oneShortLine(byte[] data) {
        String line = new FpduPrinter()
                .describe(MemorySegment.ofArray(data), 0, data.length, new StringBuilder())
                .toString();
        assertTrue(!line.isEmpty() && line.length() < 400 && line.indexOf('\n') < 0, line);
    }

    @FuzzTest
    void anyBytes_startFrame_declaredOutcomeThatMoreBytesOnlyRefine(byte[] data) {
        MemorySegment segment = MemorySegment.ofArray(data);
        for (MpaStartFrame.Kind kind : List.of(MpaStartFrame.Kind.REQUEST, MpaStartFrame.Kind.REPLY)) {
            MpaStartFrame.Check whole = MpaStartFrame.check(segment, 0, data.length, kind);
            MpaStartFrame.Check before = MpaStartFrame.Check.INCOMPLETE;
            for (int length = 0; length <= Math.min(data.length, MpaStartFrame.MAX_LENGTH + 1); length++) {
                MpaStartFrame.Check now = MpaStartFrame.check(segment, 0, length, kind);
                assertTrue(before == MpaStartFrame.Check.INCOMPLETE || before == now);
                before = now;
            }
            if (data.length <= MpaStartFrame.MAX_LENGTH || before != MpaStartFrame.Check.INCOMPLETE) {
                assertSame(whole, before);
            }
            if (whole == MpaStartFrame.Check.OK) {
                MpaStartFrame frame = new MpaStartFrame().wrap(segment, 0);
                assertSame(kind, frame.kind());
                within(0, frame.frameLength(), data.length);
                if (frame.enhanced()) {
                    within(MpaStartFrame.LENGTH, MpaEnhanced.LENGTH, frame.frameLength());
                }
            }
        }
    }

    @FuzzTest
    void anyBytes_terminate_declaredOutcome(byte[] data) {
        TerminateReader reader = new TerminateReader();
        TerminateReader.Outcome outcome = reader.read(MemorySegment.ofArray(data), 0, data.length);
        assertEquals(data.length < Terminate.LENGTH, outcome == TerminateReader.Outcome.TOO_SHORT);
        if (reader.ddpHeaderOffset() >= 0) {
            within(reader.ddpHeaderOffset(), reader.ddpHeaderLength(), data.length);
        }
        if (reader.rdmapHeaderOffset() >= 0) {
            within(reader.rdmapHeaderOffset(), ReadRequest.LENGTH, data.length);
        }
        assertSame(TerminateCode.of(reader.layer(), reader.etype(), reader.errorCode()), reader.code());
        assertTrue(reader.describe(new StringBuilder()).length() < 200);
    }

    @FuzzTest
    void anyBytes_pcapng_endsAfterBoundedPackets(byte[] data) {
        PcapngReader reader = new PcapngReader(MemorySegment.ofArray(data));
        int packets = 0;
        PcapngReader.Outcome outcome;
        while ((outcome = reader.next()) == PcapngReader.Outcome.PACKET) {
            within(reader.packetOffset(), reader.packetLength(), data.length);
            packets++;
            assertTrue(packets <= data.length / 16);
        }
        assertTrue(outcome == PcapngReader.Outcome.END || outcome == PcapngReader.Outcome.MALFORMED);
        assertSame(PcapngReader.Outcome.END, reader.next());
    }

    @FuzzTest
    void anyBytes_everyHeaderThatFits_describesItself(byte[] data) {
        MemorySegment segment = MemorySegment.ofArray(data);
        StringBuilder out = new StringBuilder();
        int n = data.length;
        if (FpduHeader.fits(n)) {
            new FpduHeader().wrap(segment, 0).describe(out);
        }
        if (Marker.fits(n)) {
            new Marker().wrap(segment, 0).describe(out);
            new MpaEnhanced().wrap(segment, 0).describe(out.append(' '));
            new Terminate().wrap(segment, 0).describe(out.append(' '));
        }
        if (ImmediateData.fits(n)) {
            new ImmediateData().wrap(segment, 0).describe(out.append(' '));
        }
        if (AtomicResponse.fits(n)) {
            new AtomicResponse().wrap(segment, 0).describe(out.append(' '));
        }
        if (DdpTagged.fits(n)) {
            new DdpTagged().wrap(segment, 0).describe(out.append(' '));
        }
        if (DdpUntagged.fits(n)) {
            new DdpUntagged().wrap(segment, 0).describe(out.append(' '));
        }
        if (MpaStartFrame.fits(n)) {
            new MpaStartFrame().wrap(segment, 0).describe(out.append(' '));
        }
        if (ReadRequest.fits(n)) {
            new ReadRequest().wrap(segment, 0).describe(out.append(' '));
        }
        if (AtomicRequest.fits(n)) {
            new AtomicRequest().wrap(segment, 0).describe(out.append(' '));
        }
        assertTrue(out.length() < 2000);
    }
}
