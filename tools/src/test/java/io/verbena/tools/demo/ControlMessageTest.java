package io.verbena.tools.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ControlMessageTest {

    private static final long OFFSET = 8;

    private final MemorySegment memory = Arena.ofAuto().allocate(OFFSET + ControlMessage.MAX_BYTES);

    @Test
    void messages_writtenAndRead_areTheSame() throws Failure {
        assertSame(new ControlMessage.Hello(1L << 40), 12);
        assertSame(new ControlMessage.Welcome(new RemoteRegion(-1, 5, 6), new RemoteRegion(7, 8, -9)), 44);
        assertSame(new ControlMessage.Echo(-3), 12);
        assertSame(new ControlMessage.Echoed(4), 12);
        assertSame(new ControlMessage.Check(), 4);
        assertSame(new ControlMessage.Digest("0123456789abcdef".repeat(4)), 36);
        assertSame(new ControlMessage.Problem("no room"), 11);
        assertSame(new ControlMessage.Problem(""), 4);
    }

    @Test
    void problem_tooLong_isCut() throws Failure {
        int length = ControlMessage.write(new ControlMessage.Problem("x".repeat(1000)), memory, OFFSET);
        assertEquals(ControlMessage.MAX_BYTES, length);
        assertInstanceOf(ControlMessage.Problem.class, ControlMessage.read(memory, OFFSET, length));
    }

    @Test
    void read_tooShortOrTooLong_refused() {
        ControlMessage.write(new ControlMessage.Hello(1), memory, OFFSET);
        for (long length : new long[] {0, 3, 4, 11, ControlMessage.MAX_BYTES + 1}) {
            assertThrows(Failure.class, () -> ControlMessage.read(memory, OFFSET, length));
        }
    }

    @Test
    void read_anyBytes_messageOrFailure() {
        Random random = new Random(1);
        byte[] garbage = new byte[ControlMessage.MAX_BYTES];
        int messages = 0;
        for (int i = 0; i < 20_000; i++) {
            random.nextBytes(garbage);
            garbage[0] = 0;
            garbage[1] = 0;
            garbage[2] = 0;
            garbage[3] = (byte) random.nextInt(10);
            MemorySegment.copy(garbage, 0, memory, java.lang.foreign.ValueLayout.JAVA_BYTE, OFFSET, garbage.length);
            messages += isMessage(random.nextInt(ControlMessage.MAX_BYTES + 1)) ? 1 : 0;
        }
        assertTrue(messages > 1000);
    }

    /** A negative length inside a remote region is refused by the record itself. */
    private boolean isMessage(int length) {
        try {
            ControlMessage.read(memory, OFFSET, length);
            return true;
        } catch (Failure | IllegalArgumentException e) {
            return false;
        }
    }

    private void assertSame(ControlMessage message, int bytes) throws Failure {
        assertEquals(bytes, ControlMessage.write(message, memory, OFFSET));
        assertEquals(message, ControlMessage.read(memory, OFFSET, bytes));
    }
}
