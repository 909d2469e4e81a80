package io.verbena.fabric.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class FlitHeaderTest {

    private final byte[] bytes = new byte[FlitHeader.LENGTH + FlitHeader.PAYLOAD];
    private final FlitHeader flit = new FlitHeader().wrap(MemorySegment.ofArray(bytes), 0);

    @Test
    void f3_fields_written_areReadBackAndPrinted() {
        write();
        assertEquals(FlitType.DATA, flit.type());
        assertTrue(flit.head());
        assertFalse(flit.tail());
        assertEquals(9, flit.vl());
        assertTrue(flit.again());
        assertEquals(40, flit.size());
        assertEquals(14, flit.creditVl());
        assertEquals(15, flit.credits());
        assertEquals(4095, flit.sequence());
        assertEquals(2730, flit.acknowledgement());
        assertEquals(
                "DATA 4095 H- VL9 40 B, 15 credits of VL14, again from 2730",
                flit.describe(new StringBuilder()).toString());
    }

    /** A CRC of 16 bits detects every error of one, two or three bits, and every burst of up to 16. */
    @Test
    void f4_sealedFlit_anyBurstOfBitErrors_isDetected() {
        write();
        int length = FlitHeader.LENGTH + flit.size();
        assertTrue(flit.intact(length));
        assertFalse(flit.intact(length - 1));
        for (int bit = 0; bit < 8 * length; bit++) {
            for (int pattern : new int[] {1, 0b11, 0b101, 0xffff, 0x8001}) {
                flip(bit, pattern, length);
                assertFalse(flit.intact(bytes.length), "bit " + bit + " pattern " + pattern);
                flip(bit, pattern, length);
            }
        }
        assertTrue(flit.intact(length));
    }

    private void write() {
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (37 * i);
        }
        flit.type(FlitType.DATA)
                .head(true)
                .tail(false)
                .vl(9)
                .again(true)
                .size(40)
                .creditVl(14)
                .credits(15);
        flit.sequence(4095).acknowledgement(2730).seal();
    }

    private void flip(int bit, int pattern, int length) {
        for (int i = 0; i < 16; i++) {
            int at = bit + i;
            if ((pattern >> i & 1) != 0 && at < 8 * length) {
                bytes[at >> 3] ^= (byte) (0x80 >> (at & 7));
            }
        }
    }
}
