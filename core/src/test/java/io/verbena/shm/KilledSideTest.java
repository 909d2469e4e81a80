package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What a side states of its end if its process is killed, as the other side reads it. */
class KilledSideTest {

    private final ByteBuffer memory = ByteBuffer.allocateDirect(SharedLayout.bytes(SharedLayout.LEAST_RING_BYTES));
    private final SideWords initiator = new SideWords(memory, true);
    private final SideWords acceptor = new SideWords(memory, false);

    @Test
    void eachSideStates_theOtherReads_andTheEndItselfIsAnotherWord() {
        assertEquals(SharedLayout.OPEN, acceptor.killedThere());
        initiator.killed(SharedLayout.RESET);
        acceptor.killed(SharedLayout.ENDED);
        assertEquals(SharedLayout.RESET, acceptor.killedThere());
        assertEquals(SharedLayout.ENDED, initiator.killedThere());
        initiator.killed(SharedLayout.ENDED);
        assertEquals(SharedLayout.ENDED, acceptor.killedThere());
        assertEquals(SharedLayout.OPEN, acceptor.endingThere());
        assertEquals(SharedLayout.OPEN, initiator.endingThere());
    }
}
