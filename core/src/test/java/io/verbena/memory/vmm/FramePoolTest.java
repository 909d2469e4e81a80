package io.verbena.memory.vmm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Frames, and how many a process may have. */
class FramePoolTest {

    @Test
    void bytesAndPages_areConverted_partOfAPageCountsAsOne() {
        FramePool pool = new FramePool(8 * 512, 9);
        assertEquals(8, pool.frames());
        assertEquals(0, pool.pagesOf(0));
        assertEquals(1, pool.pagesOf(1));
        assertEquals(1, pool.pagesOf(512));
        assertEquals(2, pool.pagesOf(513));
        assertEquals(1L << 31, pool.pagesOf(AddressLayout.MOST_SEGMENT_BYTES));
        assertEquals(1024, pool.bytesOf(2));
        assertEquals(AddressLayout.MOST_SEGMENT_BYTES, pool.bytesOf(1L << 31));
        pool.close();
    }

    @Test
    void bytesThatAreNoWholeFrame_areNotUsed() {
        FramePool pool = new FramePool(2 * 512 + 511, 9);
        assertEquals(2, pool.frames());
        assertEquals(1024, pool.memory().byteSize());
        pool.close();
    }

    @Test
    void bufferOfAFrame_isItsMemory_alignedForDirectTransfers() {
        FramePool pool = new FramePool(4 * 8192, 13);
        ByteBuffer frame = pool.buffer(3);
        assertEquals(8192, frame.remaining());
        assertTrue(frame.isDirect());
        frame.put(5, (byte) 77);
        assertEquals(77, pool.memory().get(ValueLayout.JAVA_BYTE, pool.offset(3) + 5));
        assertEquals(0, pool.memory().address() % 8192);
        pool.close();
    }

    @Test
    void closed_memoryIsGone() {
        FramePool pool = new FramePool(512, 9);
        pool.close();
        assertThrows(IllegalStateException.class, () -> pool.memory().get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void allowance_isExhaustedAtItsLimit_untilAPageLeaves() {
        FrameAllowance allowance = new FrameAllowance(3);
        allowance.use(2);
        assertFalse(allowance.exhausted());
        allowance.use(1);
        assertTrue(allowance.exhausted());
        allowance.use(2);
        assertEquals(5, allowance.used());
        assertTrue(allowance.exhausted());
        allowance.use(-3);
        assertFalse(allowance.exhausted());
    }
}
