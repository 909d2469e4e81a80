package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeaderTest {

    private static final int OFFSET = 3;

    /** A structure without fields of its own. */
    private static final class Plain extends Header<Plain> {}

    private final MemorySegment memory = MemorySegment.ofArray(new byte[32]);
    private final Plain header = new Plain().wrap(memory, OFFSET);

    @Test
    void fieldsOfWholeBytes_written_areBigEndianAtTheirByteAndLeaveTheOthers() {
        assertEquals("00ab0000000000000000000000000000", write(header.u8(1, 0x1ab)));
        assertEquals("00abcd00000000000000000000000000", write(header.u16(1, 0x1abcd)));
        assertEquals("00abcdef000000000000000000000000", write(header.u24(1, 0x1abcdef)));
        assertEquals("0089abcdef0000000000000000000000", write(header.u32(1, 0x89abcdef)));
        assertEquals("00456789abcdef000000000000000000", write(header.u48(1, 0x1456789abcdefL)));
        assertEquals("000123456789abcdef00000000000000", write(header.u64(1, 0x0123456789abcdefL)));
        assertEquals("fffffffffffffffefffffffffffffffd", write(header.u128(0, -2, -3)));
    }

    @Test
    void fieldsOfWholeBytes_read_areUnsigned() {
        memory.fill((byte) 0xff);
        assertEquals(0xff, header.u8(0));
        assertEquals(0xffff, header.u16(0));
        assertEquals(0xff_ffff, header.u24(1));
        assertEquals(-1, header.u32(0));
        assertEquals(0xffff_ffff_ffffL, header.u48(0));
        assertEquals(-1, header.u64(0));
    }

    @ParameterizedTest
    @CsvSource({"0, 1, 80", "7, 1, 01", "0, 8, ff", "0, 4, f0", "4, 4, 0f", "1, 7, 7f", "2, 2, 30", "3, 5, 1f"})
    void bits_written_leaveTheRestOfTheByte(int bit, int width, String mask) {
        int all = (1 << width) - 1;
        assertEquals("0000" + mask + "00".repeat(13), write(header.bits(2, bit, width, -1)));

        header.bits(2, bit, width, -1);
        assertEquals(all, header.bits(2, bit, width));
        assertEquals(Integer.parseInt(mask, 16), header.u8(2));

        memory.fill((byte) 0xff);
        header.bits(2, bit, width, all + 1);
        assertEquals(0, header.bits(2, bit, width));
        assertEquals(0xff - Integer.parseInt(mask, 16), header.u8(2));
    }

    @Test
    void flag_writtenAndRead_isOneBitCountedFromTheMostSignificant() {
        assertEquals(0x20, header.flag(4, 2, true).u8(4));
        assertTrue(header.flag(4, 2));
        assertEquals(0x01, header.flag(4, 7, true).flag(4, 2, false).u8(4));
        assertFalse(header.flag(4, 2));
    }

    @Test
    void u24_written_keepsTheByteBeforeIt() {
        memory.fill((byte) 0x11);
        header.u24(5, 0xabcdef);
        assertEquals(0x11ab_cdef, header.u32(4));
        assertEquals(0x11, header.u8(8));
    }

    @Test
    void bytes_written_areCutToTheFieldOrFollowedByZeros() {
        memory.fill((byte) 0x11);
        assertArrayEquals(
                new byte[] {0x11, 1, 2, 0, 0, 0x11},
                header.bytes(1, 4, new byte[] {1, 2}).bytes(0, 6));
        assertArrayEquals(
                new byte[] {0x11, 5, 6, 0},
                header.bytes(1, 2, new byte[] {5, 6, 7}).bytes(0, 4));
    }

    /** What is in the first 16 bytes after a field was written; and zeros again. */
    private String write(Plain written) {
        assertSame(header, written);
        byte[] after = header.bytes(0, 16);
        memory.fill((byte) 0);
        return HexFormat.of().formatHex(after);
    }
}
