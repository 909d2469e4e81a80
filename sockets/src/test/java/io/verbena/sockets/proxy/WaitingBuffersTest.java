package io.verbena.sockets.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

class WaitingBuffersTest {

    @Test
    void returned_isLentAgain_empty() {
        WaitingBuffers buffers = new WaitingBuffers();
        ByteBuffer first = buffers.borrow();
        first.position(10);
        buffers.giveBack(first);
        assertEquals(0, buffers.lentBytes());
        assertSame(first, buffers.borrow());
        assertEquals(WaitingBuffers.LARGE_BYTES, first.remaining());
    }

    @Test
    void allLargeOnesAreLent_othersGetSmallOnes() {
        WaitingBuffers buffers = new WaitingBuffers();
        Deque<ByteBuffer> lent = new ArrayDeque<>();
        for (int i = 0; i < WaitingBuffers.MOST_LARGE; i++) {
            lent.push(buffers.borrow());
        }
        ByteBuffer small = buffers.borrow();
        assertEquals(WaitingBuffers.SMALL_BYTES, small.capacity());
        lent.forEach(buffers::giveBack);
        buffers.giveBack(small);
        assertEquals(0, buffers.lentBytes());
        assertEquals(WaitingBuffers.LARGE_BYTES, buffers.borrow().capacity());
    }
}
