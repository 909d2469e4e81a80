package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RdmapOpcodeTest {
    @ParameterizedTest
    @CsvSource({
        "0x0, WRITE,              true,  -1, false, false, -1, 14",
        "0x1, READ_REQUEST,       false, 1,  false, false, 28, 18",
        "0x2, READ_RESPONSE,      true,  -1, false, false, -1, 14",
        "0x3, SEND,               false, 0,  false, false, -1, 18",
        "0x4, SEND_INVALIDATE,    false, 0,  false, true,  -1, 18",
        "0x5, SEND_SE,            false, 0,  true,  false, -1, 18",
        "0x6, SEND_SE_INVALIDATE, false, 0,  true,  true,  -1, 18",
        "0x7, TERMINATE,          false, 2,  false, false, -1, 18",
        "0x8, IMMEDIATE,          false, 0,  false, false, 8,  18",
        "0x9, IMMEDIATE_SE,       false, 0,  true,  false, 8,  18",
        "0xa, ATOMIC_REQUEST,     false, 1,  false, false, 52, 18",
        "0xb, ATOMIC_RESPONSE,    false, 3,  false, false, 12, 18",
    })
    void definedValue_of_hasTheFactsOfTheFigures(
            int value,
            RdmapOpcode opcode,
            boolean tagged,
            int qn,
            boolean solicited,
            boolean invalidates,
            int fixedLength,
            int headerLength) {
        // RFC 5040 section 4.1 [5, 6, 7], Fig. 4; RFC 7306 section 4.1 [2], Fig. 2.
        assertSame(opcode, RdmapOpcode.of(value));
        assertEquals(value, opcode.value());
        assertEquals(tagged, opcode.tagged());
        assertEquals(qn, opcode.qn());
        assertEquals(solicited, opcode.solicited());
        assertEquals(invalidates, opcode.invalidates());
        assertEquals(fixedLength, opcode.fixedPayloadLength());
        assertEquals(headerLength, opcode.headerLength());
        assertEquals(value >= 8, opcode.extension());
        assertEquals(qn == 0, opcode.consumesReceive());
    }

    @Test
    void undefinedValue_of_isReserved() {
        for (int value = 0xc; value <= 0xf; value++) {
            assertSame(RdmapOpcode.RESERVED, RdmapOpcode.of(value));
        }
        assertSame(RdmapOpcode.SEND, RdmapOpcode.of(0x73));
    }
}
