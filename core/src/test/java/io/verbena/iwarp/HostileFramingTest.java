package io.verbena.iwarp;

import static io.verbena.iwarp.HandMade.payload;
import static io.verbena.iwarp.HandMade.send;
import static io.verbena.iwarp.HandMade.untagged;
import static io.verbena.iwarp.HandMade.write;
import static io.verbena.wire.TerminateCode.UNKNOWN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Slab;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.Marker;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.Terminate;
import io.verbena.wire.TerminateCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Errors of a peer below DDP, and the treatment of its Terminate messages and of its silence. */
class HostileFramingTest {

    private static final int LLP_TERMINATE = 18 + Terminate.LENGTH;

    private static void giveSpoilt(Victim v, int at, int bit) {
        byte[] bytes = v.peer.bytes();
        bytes[at] ^= (byte) (1 << bit);
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), JAVA_BYTE, 0, bytes.length);
        v.end.stream.onBytes(slab, 0, bytes.length, 0);
    }

    @ParameterizedTest
    @CsvSource({"CRC, true", "CRC, false", "CRC_AND_MARKERS, true", "CRC_AND_MARKERS, false"})
    void rts_anyByteChanged_isFoundOutAndNothingIsPlaced(Framing framing, boolean initiator) {
        // RFC 5044 sections 4.4 [1, 12, 13, 14] and 8 [2, 6], RFC 5041 section 3 [6]: summed the same way, compared,
        // and not used if they differ. ULPDU_Length has a test of its own: a longer FPDU is waited for.
        int header = framing.markers ? Marker.LENGTH : 0;
        for (int at = 0; at < 60; at++) {
            Victim v = new Victim(framing, initiator, 4, 4, Optional.empty());
            v.postReceive(7, 0, 100);
            v.postSend(2, WrFlags.SIGNALLED, 8);
            v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(40)));
            if (at == header || at == header + 1) {
                continue;
            }
            giveSpoilt(v, at, at % 8);
            v.assertMemory();
            if (initiator) {
                assertEquals(LLP_TERMINATE, v.assertTerminates(TerminateCode.MPA_CRC).length);
            } else {
                v.assertEndsSilently(TerminateCode.MPA_CRC);
            }
            assertEquals(List.of("2 SEND CRC 8", "7 RECEIVE FLUSHED 0"), v.flushed());
        }
    }

    @Test
    void rts_sumOfZero_isNoSum() {
        Victim v = Victim.initiator(Framing.CRC);
        // RFC 5044 section 4.4 [5]: once agreed, checked to the end.
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(4)));
        v.expect(v.open, 0, payload(4));
        v.peer.sum = sum -> 0;
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(40)));
        v.give(1);
        v.assertTerminates(TerminateCode.MPA_CRC);
        v.assertMemory();
    }

    @ParameterizedTest
    @CsvSource({"PLAIN", "MARKERS"})
    void rts_noChecksumsAgreed_theFieldMayHoldAnything(Framing framing) {
        // RFC 5044 sections 4.1 [3], 4.4 [6] and 7.1.1 [9]: there it is, and not looked at.
        for (int piece : new int[] {1, 5, Integer.MAX_VALUE}) {
            Victim v = Victim.initiator(framing);
            int start = framing.markers ? Marker.LENGTH : 0;
            v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(41)));
            byte[] bytes = v.peer.bytes();
            for (int i = start + FpduHeader.LENGTH + 14 + 41; i < bytes.length; i++) {
                bytes[i] = (byte) 0xee;
            }
            Slab slab = new Slab(bytes.length);
            MemorySegment.copy(bytes, 0, slab.segment(), JAVA_BYTE, 0, bytes.length);
            for (int at = 0; at < bytes.length; at += Math.min(piece, bytes.length - at)) {
                v.end.stream.onBytes(slab, at, at + Math.min(piece, bytes.length - at), 0);
            }
            assertTrue(v.end.stream.ending().isEmpty());
            v.expect(v.open, 0, payload(41));
            v.assertMemory();
        }
    }

    @Test
    void rts_padThatIsNotZero_isIgnoredButSummed() {
        Victim v = Victim.initiator(Framing.CRC);
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(41)));
        byte[] bytes = v.peer.bytes();
        bytes[bytes.length - 5] = 3;
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), JAVA_BYTE, 0, bytes.length);
        int sum = slab.crc32c(0, bytes.length - 4);
        slab.segment().set(ValueLayout.JAVA_INT_UNALIGNED, bytes.length - 4, sum);
        // RFC 5044 section 4.1 [2]: the pad is ignored, but it is part of the sum.
        v.end.stream.onBytes(slab, 0, bytes.length, 0);
        assertTrue(v.end.stream.ending().isEmpty());
        v.expect(v.open, 0, payload(41));
        v.assertMemory();
    }

    @ParameterizedTest
    @CsvSource({"MARKERS, true", "MARKERS, false", "CRC_AND_MARKERS, true", "CRC_AND_MARKERS, false"})
    void rts_markerPointsElsewhere_isFoundOutAndNothingIsPlaced(Framing framing, boolean initiator) {
        // RFC 5044 sections 4.3 [8] and 8 [3, 6]: marker and length disagree; the checksum is right.
        for (int offset : new int[] {4, -4, 8, 256, 512, 0x8000}) {
            for (int piece : new int[] {1, 500, Integer.MAX_VALUE}) {
                Victim v = new Victim(framing, initiator, 4, 4, Optional.empty());
                v.peer.fpduptr = pointer -> pointer == 0 ? 0 : pointer + offset & 0xffff;
                v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(1200)));
                v.give(piece);
                if (initiator) {
                    assertEquals(LLP_TERMINATE, v.assertTerminates(TerminateCode.MPA_FPDU_START).length);
                } else {
                    v.assertEndsSilently(TerminateCode.MPA_FPDU_START);
                }
                v.assertMemory();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"MARKERS", "CRC_AND_MARKERS"})
    void rts_lowBitsAndReservedBitsOfMarkers_areIgnored(Framing framing) {
        Victim v = Victim.initiator(framing);
        v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(1200)));
        byte[] bytes = v.peer.bytes();
        for (int at = 0; at < bytes.length; at += Marker.INTERVAL) {
            bytes[at] = 0x55;
            bytes[at + 1] = (byte) 0xaa;
            bytes[at + 3] |= 3;
        }
        Slab slab = new Slab(bytes.length);
        MemorySegment.copy(bytes, 0, slab.segment(), JAVA_BYTE, 0, bytes.length);
        if (framing.crc) {
            int sum = slab.crc32c(0, bytes.length - 4);
            slab.segment().set(ValueLayout.JAVA_INT_UNALIGNED, bytes.length - 4, sum);
        }
        // RFC 5044 sections 4.2 [2, 4] and 4.3 [6]: RESERVED is not looked at, and the low bits count as zero.
        v.end.stream.onBytes(slab, 0, bytes.length, 0);
        assertTrue(v.end.stream.ending().isEmpty());
        v.expect(v.open, 0, payload(1200));
        v.assertMemory();
    }

    @ParameterizedTest
    @CsvSource({"MARKERS", "CRC_AND_MARKERS"})
    void rts_fpduLongerThanMarkersCanSay_isRefused(Framing framing) {
        for (int length : new int[] {Marker.MAX_ULPDU_LENGTH + 1, 0xffff}) {
            for (int piece : new int[] {1448, Integer.MAX_VALUE}) {
                Victim v = Victim.initiator(framing);
                v.postReceive(7, 0, 100);
                v.peer.add(send(true, 1, 0, payload(length - 18)));
                v.give(piece);
                v.assertTerminates(TerminateCode.MPA_FPDU_START);
                v.assertMemory();
                assertEquals(List.of("7 RECEIVE FLUSHED 0"), v.flushed());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_longestFpduThereIs_isTaken(Framing framing) {
        // RFC 5044 section 3 [3, 4] binds senders; a receiver takes what the length field can say.
        int length = framing.markers ? Marker.MAX_ULPDU_LENGTH : 0xffff;
        StreamPair.End end = new StreamPair.End(
                new StreamSettings(false, framing.crc, framing.markers, framing.markers, 0, 0, Optional.empty(), 1024),
                3,
                16,
                sink -> sink);
        var region = end.region(length);
        HandMade peer = new HandMade(framing);
        peer.add(write(true, region.rkey(), region.baseAddress(), payload(length - 14)));
        byte[] bytes = peer.bytes();
        Slab slab = new Slab(2000);
        for (int at = 0; at < bytes.length; at += 2000) {
            int count = Math.min(2000, bytes.length - at);
            MemorySegment.copy(bytes, at, slab.segment(), JAVA_BYTE, 0, count);
            assertEquals(count, end.stream.onBytes(slab, 0, count, 0));
        }
        assertTrue(end.stream.ending().isEmpty());
        assertEquals(bytes.length, end.stream.nextOffset());
        assertEquals(
                -1,
                MemorySegment.ofArray(payload(length - 14))
                        .mismatch(region.segment().asSlice(0, length - 14)));
    }

    // How Terminate messages are taken.

    /** The bytes of a Terminate message; {@code siw} as Linux's Soft-iWARP writes it on little-endian machines. */
    private static byte[] terminate(TerminateCode code, boolean siw, boolean withHeaders) {
        byte[] header = new byte[Terminate.LENGTH + (withHeaders ? 2 + 14 : 0)];
        Terminate terminate =
                new Terminate().wrap(MemorySegment.ofArray(header), 0).code(code);
        if (withHeaders) {
            terminate.m(true).d(true).ddpSegmentLength(14);
            header[6] = (byte) 0xc1;
        }
        if (siw) {
            header[0] = (byte) (code.layer() | code.etype() << 4);
            header[2] = (byte) (withHeaders ? 3 : 0);
        }
        return untagged(RdmapOpcode.TERMINATE, true, 1, 0, header);
    }

    @ParameterizedTest
    @EnumSource(TerminateCode.class)
    void rts_terminateReceived_endsWithItsReasonAndNoAnswer(TerminateCode code) {
        for (Framing framing : Framing.values()) {
            boolean withHeaders = code.includesDdpHeader() && code != TerminateCode.UNKNOWN;
            // Without headers some codes read the other way round are codes too; then it is the RFC that counts.
            boolean clear = withHeaders || TerminateCode.of(code.etype(), code.layer(), code.code()) == UNKNOWN;
            for (boolean siw : clear ? new boolean[] {false, true} : new boolean[] {false}) {
                Victim v = Victim.initiator(framing);
                v.postReceive(7, 0, 100);
                v.read(1, 512, 64);
                v.postSend(2, WrFlags.UNSIGNALLED.withFence(), 8);
                v.peer.add(terminate(code, siw, withHeaders));
                v.peer.add(write(true, v.open.rkey(), v.open.baseAddress(), payload(40)), send(true, 1, 0));
                v.give(siw ? 1 : 1000);
                assertEquals(Ending.Kind.TERMINATED_BY_PEER, v.ending().kind());
                // RFC 5040 section 5.4 [6, 7]: it is delivered, and its reason is reported.
                assertEquals(code, v.ending().code().orElseThrow(), () -> "siw " + siw);
                assertTrue(v.ending().sentence().endsWith(code.sentence()));
                // RFC 5040 section 7 [2]: no data after it, from either side.
                assertEquals(List.of(), v.sent());
                assertTrue(v.end.finSent);
                v.assertMemory();
                CompletionStatus status = Faults.ofTerminate(code);
                // The headers are of a segment that was none of the work that is pending.
                CompletionStatus first = withHeaders ? CompletionStatus.FLUSHED : status;
                assertEquals(
                        List.of("1 READ " + first + " 64", "2 SEND FLUSHED 8", "7 RECEIVE FLUSHED 0"), v.flushed());
                assertFalse(status == CompletionStatus.SUCCESS);
                v.end.stream.onEndOfStream(0);
                assertTrue(v.end.stream.finished());
            }
        }
    }

    @Test
    void rts_terminateWithOtherNumbers_isTakenAllTheSame() {
        // RFC 5040 section 5.4 [5]: there is always a buffer for one; after it all message numbers lose their meaning.
        for (byte[] odd : List.of(
                untagged(RdmapOpcode.TERMINATE, true, 2, 0, new byte[4]),
                untagged(RdmapOpcode.TERMINATE, true, 1, 8, new byte[4]),
                untagged(RdmapOpcode.TERMINATE, false, 1, 0, new byte[4]),
                untagged(RdmapOpcode.TERMINATE, true, 1, 0, payload(5000)),
                // RFC 5040 section 4.8 [4]: reserved bits are not looked at.
                untagged(RdmapOpcode.TERMINATE, true, 1, 0, (byte) 0, (byte) 0, (byte) 0, (byte) 0xff))) {
            Victim v = Victim.initiator(Framing.CRC);
            v.peer.add(odd);
            v.give(100);
            assertEquals(Ending.Kind.TERMINATED_BY_PEER, v.ending().kind());
            assertEquals(List.of(), v.sent());
        }
    }

    @Test
    void rts_terminateOfTheResponderBeforeWeSpoke_isTaken() {
        Victim v = Victim.responder(Framing.CRC);
        v.peer.add(terminate(TerminateCode.MPA_INSUFFICIENT_IRD, false, false));
        v.give();
        assertEquals(TerminateCode.MPA_INSUFFICIENT_IRD, v.ending().code().orElseThrow());
        assertEquals(List.of(), v.sent());
        assertTrue(v.end.finSent);
    }

    // How an end in the middle is taken.

    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_streamEndsInsideAnFpdu_isABadClose(Framing framing) {
        HandMade whole = new HandMade(framing).add(send(true, 1, 0, payload(30)));
        for (int length = 1; length < whole.bytes().length; length++) {
            Victim v = Victim.responder(framing);
            v.postReceive(7, 0, 100);
            v.peer.add(send(true, 1, 0, payload(30)));
            v.give(length, 1);
            v.end.stream.onEndOfStream(0);
            // RFC 5041 section 6.2.2 [1, 2], RFC 5044 section 8 [1]: the loss is reported as an error.
            assertEquals(Ending.Kind.BAD_CLOSE, v.ending().kind());
            assertTrue(v.ending().failed());
            assertEquals(List.of(), v.sent());
            assertEquals(List.of("7 RECEIVE FLUSHED 0"), v.flushed());
        }
    }

    @ParameterizedTest
    @EnumSource(Framing.class)
    void rts_streamEndsInsideAMessage_isABadClose(Framing framing) {
        for (int message = 0; message < 2; message++) {
            Victim v = Victim.responder(framing);
            v.postReceive(7, 0, 100);
            v.peer.add(
                    message == 0
                            ? send(false, 1, 0, payload(30))
                            : write(false, v.open.rkey(), v.open.baseAddress(), payload(30)));
            v.give();
            v.end.stream.onEndOfStream(0);
            assertEquals(Ending.Kind.BAD_CLOSE, v.ending().kind());
            // RFC 5041 section 5.4 [1]: without its last segment nothing is delivered.
            assertEquals(List.of("7 RECEIVE FLUSHED 0"), v.flushed());
        }
    }
}
