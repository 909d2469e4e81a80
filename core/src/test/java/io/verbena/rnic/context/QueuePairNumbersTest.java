package io.verbena.rnic.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The choice of queue pair numbers. */
class QueuePairNumbersTest {

    /** Packets to such a queue pair would be delivered elsewhere, and its connections would fail with RETRY_EXCEEDED. */
    @Test
    void numbersWithAnotherMeaning_drawn_areNotUsed() {
        Iterator<Integer> drawn = List.of(0, 1, 0xff_ffff, 0xff_fffe, 0xff_fffd).iterator();
        assertEquals(0xff_fffd, new QueuePairNumbers().unused(() -> (long) drawn.next() << Integer.SIZE));
    }
}
