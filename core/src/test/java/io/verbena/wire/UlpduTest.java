package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UlpduTest {
    private static final String TAIL = "00000000 00000000 00000001 00000000";

    private final Ulpdu ulpdu = new Ulpdu();

    private UlpduOutcome decode(String hex) {
        MemorySegment bytes = Bytes.segment(hex);
        return ulpdu.decode(bytes, 0, (int) bytes.byteSize());
    }

    @Test
    void send_decoded_allFields() {
        assertSame(UlpduOutcome.OK, decode("4145 00000009 00000000 00000005 00000010 0102"));
        assertFalse(ulpdu.tagged());
        assertTrue(ulpdu.last());
        assertSame(RdmapOpcode.SEND_SE, ulpdu.opcode());
        assertEquals(0, ulpdu.qn());
        assertEquals(5, ulpdu.msn());
        assertEquals(16, ulpdu.mo());
        // RFC 5040 section 4.1 [12]: the STag field is ignored where the opcode does not invalidate.
        assertEquals(0, ulpdu.invalidateStag());
        assertEquals(18, ulpdu.payloadOffset());
        assertEquals(2, ulpdu.payloadLength());
        assertEquals(
                "Send SE last msn=5 mo=16 len=2",
                ulpdu.describe(new StringBuilder()).toString());
    }

    @Test
    void write_decoded_allFields() {
        assertSame(UlpduOutcome.OK, decode("8140 00000077 0000000000001000"));
        assertTrue(ulpdu.tagged());
        assertFalse(ulpdu.last());
        assertEquals(0x77, ulpdu.stag());
        assertEquals(0x1000, ulpdu.to());
        assertEquals(0, ulpdu.payloadLength());
    }

    @Test
    void sendWithInvalidate_decoded_namesTheStag() {
        assertSame(UlpduOutcome.OK, decode("4144 0000abcd 00000000 00000001 00000000"));
        assertEquals(0xabcd, ulpdu.invalidateStag());
    }

    @Test
    void badSegmentAfterGoodOne_decoded_nothingLeftOver() {
        decode("8140 00000077 0000000000001000");
        assertSame(UlpduOutcome.TOO_SHORT, decode("81"));
        assertEquals(0, ulpdu.stag());
        assertEquals(0, ulpdu.to());
        assertEquals(1, ulpdu.payloadLength());
        assertEquals("too short len=1", ulpdu.describe(new StringBuilder()).toString());
    }

    @Test
    void everyLengthBelowTheHeader_decoded_isTooShort() {
        // Known to break others: a length smaller than the header must not become a negative payload.
        for (boolean tagged : new boolean[] {false, true}) {
            int header = tagged ? DdpTagged.LENGTH : DdpUntagged.LENGTH;
            byte[] bytes = new byte[header];
            bytes[0] = (byte) DdpControl.of(tagged, true);
            for (int length = 0; length < header; length++) {
                assertSame(UlpduOutcome.TOO_SHORT, ulpdu.decode(MemorySegment.ofArray(bytes), 0, length));
                assertEquals(length, ulpdu.payloadLength());
            }
        }
        assertSame(TerminateCode.MPA_FPDU_START, UlpduOutcome.TOO_SHORT.terminateCode());
    }

    @ParameterizedTest
    @CsvSource({
        // RFC 5041 section 7.2 [1]: the version has a code for each of the two buffer models.
        "c040 00000000 0000000000000000, TAGGED_DDP_VERSION,   DDP_TAGGED_VERSION",
        "c240 00000000 0000000000000000, TAGGED_DDP_VERSION,   DDP_TAGGED_VERSION",
        "4043 00000000 00000000 00000001 00000000, UNTAGGED_DDP_VERSION, DDP_UNTAGGED_VERSION",
        "4343 00000000 00000000 00000001 00000000, UNTAGGED_DDP_VERSION, DDP_UNTAGGED_VERSION",
        // RFC 5041 section 7.1 [1]: there is such a queue.
        "4143 00000000 00000004 00000001 00000000, NO_SUCH_QUEUE, DDP_UNTAGGED_INVALID_QN",
        "4143 00000000 ffffffff 00000001 00000000, NO_SUCH_QUEUE, DDP_UNTAGGED_INVALID_QN",
        // RFC 5040 section 7.2 [2, 3, 7, 8]: version and opcode.
        "4103 00000000 00000000 00000001 00000000, RDMAP_VERSION, RDMAP_VERSION",
        "41c3 00000000 00000000 00000001 00000000, RDMAP_VERSION, RDMAP_VERSION",
        "c180 00000000 0000000000000000, RDMAP_VERSION, RDMAP_VERSION",
        "414c 00000000 00000000 00000001 00000000, UNKNOWN_OPCODE, RDMAP_UNEXPECTED_OPCODE",
        "c14f 00000000 0000000000000000, UNKNOWN_OPCODE, RDMAP_UNEXPECTED_OPCODE",
        // RFC 5040 section 4.1 [5, 7], Fig. 4: tagged flag and queue.
        "4140 00000000 00000000 00000001 00000000, WRONG_TAGGED_FLAG, RDMAP_UNEXPECTED_OPCODE",
        "4142 00000000 00000000 00000001 00000000, WRONG_TAGGED_FLAG, RDMAP_UNEXPECTED_OPCODE",
        "c143 00000000 0000000000000000, WRONG_TAGGED_FLAG, RDMAP_UNEXPECTED_OPCODE",
        "4143 00000000 00000001 00000001 00000000, WRONG_QUEUE, DDP_UNTAGGED_INVALID_QN",
        "4147 00000000 00000000 00000001 00000000, WRONG_QUEUE, DDP_UNTAGGED_INVALID_QN",
        // RFC 7306 section 5.2 [2]: Atomic Response uses queue 3.
        "414b 00000000 00000001 00000001 00000000, WRONG_QUEUE, DDP_UNTAGGED_INVALID_QN",
    })
    void violation_decoded_outcomeAndCode(String hex, UlpduOutcome outcome, TerminateCode code) {
        assertSame(outcome, decode(hex));
        assertSame(code, outcome.terminateCode());
    }

    @ParameterizedTest
    @CsvSource({
        "READ_REQUEST, 28, true,  OK",
        "READ_REQUEST, 27, true,  FIXED_LENGTH_NOT_REACHED",
        "READ_REQUEST, 29, true,  FIXED_LENGTH_EXCEEDED",
        "READ_REQUEST, 28, false, FIXED_LENGTH_EXCEEDED",
        "READ_REQUEST, 0,  false, FIXED_LENGTH_NOT_REACHED",
        "IMMEDIATE,    8,  true,  OK",
        "IMMEDIATE,    4,  true,  FIXED_LENGTH_NOT_REACHED",
        "IMMEDIATE_SE, 9,  true,  FIXED_LENGTH_EXCEEDED",
        "ATOMIC_REQUEST, 52, true, OK",
        "ATOMIC_REQUEST, 51, true, FIXED_LENGTH_NOT_REACHED",
        "ATOMIC_RESPONSE, 12, true, OK",
        "ATOMIC_RESPONSE, 32, true, FIXED_LENGTH_EXCEEDED",
        "TERMINATE,    0,  true,  OK",
        "SEND,         0,  true,  OK",
    })
    void fixedLengthMessage_decoded_onlyItsLengthIsRight(
            RdmapOpcode opcode, int payload, boolean last, UlpduOutcome expected) {
        // RFC 7306 section 6.3 [8]: Immediate Data carries exactly eight bytes.
        byte[] bytes = new byte[DdpUntagged.LENGTH + payload];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        new DdpUntagged().wrap(segment, 0).control(opcode, last).qn(opcode.qn()).msn(1);
        assertSame(expected, ulpdu.decode(segment, 0, bytes.length));
    }

    @Test
    void reservedBitsSet_decoded_isStillFine() {
        // RFC 5041 section 4.1 [9] and RFC 5040 section 4.1 [9]: reserved bits are ignored by the receiver.
        assertSame(UlpduOutcome.OK, decode("7d73 00000000" + TAIL.substring(9)));
    }

    @Test
    void everyControlByte_decoded_answersWithoutException() {
        byte[] bytes = new byte[64];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        for (int first = 0; first < 256; first++) {
            for (int second = 0; second < 256; second++) {
                bytes[0] = (byte) first;
                bytes[1] = (byte) second;
                UlpduOutcome outcome = ulpdu.decode(segment, 0, bytes.length);
                boolean versions = (first & 3) == 1 && second >> 6 == 1;
                assertTrue(versions || outcome != UlpduOutcome.OK);
            }
        }
    }
}
