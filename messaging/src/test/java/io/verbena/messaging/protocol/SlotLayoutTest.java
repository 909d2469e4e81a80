package io.verbena.messaging.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotLayoutTest {

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory = Arena.ofAuto().allocate(256, 64);

    @ParameterizedTest
    @CsvSource({
        "0, 40, 32, 64",
        "1, 48, 40, 64",
        "8, 48, 40, 64",
        "9, 56, 48, 64",
        "24, 64, 56, 64",
        "25, 72, 64, 128",
        "700, 744, 736, 768"
    })
    void payload_bytesOnTheWireTailAndStride(int payload, int message, int tail, int stride) {
        assertEquals(message, SlotLayout.messageBytes(payload));
        assertEquals(tail, SlotLayout.tailOffset(payload));
        assertEquals(stride, SlotLayout.strideBytes(payload));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "-1, 5", "5, -1", "2147483647, 67108864", "-2147483648, 1"})
    void head_holdsNumberAndLength(int number, int length) {
        long head = SlotLayout.head(number, length);
        assertEquals(number, SlotLayout.numberOf(head));
        assertEquals(length, SlotLayout.lengthOf(head));
        assertEquals(((long) number << 32) + Integer.toUnsignedLong(length), head);
    }

    @Test
    void tail_mixesNonceAndNumber() {
        assertEquals(0x9e3779bd8ef1b1deL, SlotLayout.tail(0, 1));
        assertEquals(0x6a99b4b2a3b07573L, SlotLayout.tail(5, 7));
        assertEquals(0x9e3779bd8ef1b1deL, SlotLayout.tail(-1, 2));
    }

    @Test
    void header_isStoredWhereTheDrawingSays() {
        SlotLayout.putHeader(memory, 64, 0x81, 0xfe, 0x12345678, -2, 0x7fffffff, 0x1122334455667788L);
        assertEquals(0x12345678_0000fe81L, memory.get(LONG, 72));
        assertEquals(0x7fffffff_fffffffeL, memory.get(LONG, 80));
        assertEquals(0x1122334455667788L, memory.get(LONG, 88));
        assertEquals(0, memory.get(LONG, 64));
        assertEquals(0, memory.get(LONG, 96));

        long about = SlotLayout.about(memory, 64);
        assertEquals(0x81, SlotLayout.kindOf(about));
        assertEquals(0xfe, SlotLayout.flagsOf(about));
        assertEquals(0x12345678, SlotLayout.returnedOf(about));
        long match = SlotLayout.match(memory, 64);
        assertEquals(-2, SlotLayout.tagOf(match));
        assertEquals(0x7fffffff, SlotLayout.contextOf(match));
        assertEquals(0x1122334455667788L, SlotLayout.word(memory, 64));
    }

    @Test
    void header_negativeNumbersOfSlots_touchNothingElse() {
        SlotLayout.putHeader(memory, 0, 0x1ff, 0x1ff, -1, 0, -1, -1);
        long about = SlotLayout.about(memory, 0);
        assertEquals(0xffffffff_0000ffffL, about);
        assertEquals(-1, SlotLayout.returnedOf(about));
        assertEquals(-1, SlotLayout.contextOf(SlotLayout.match(memory, 0)));
        assertEquals(0, SlotLayout.tagOf(SlotLayout.match(memory, 0)));
    }

    @Test
    void flag_isLittleEndian() {
        SlotLayout.putFlag(memory, 8, 0x0102030405060708L);
        assertEquals(8, memory.get(ValueLayout.JAVA_BYTE, 8));
        assertEquals(0x0102030405060708L, SlotLayout.flag(memory, 8));
    }
}
