package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Sends that are complete only when their receive has been matched, and messages that are longer than their receive. */
class SynchronousSendTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));
    private static final int ROUNDS = 200;

    @ParameterizedTest
    @CsvSource({"0, READ", "0, WRITE", "8, READ", "8, WRITE", "300000, READ", "300000, WRITE"})
    void send_isDoneWhenItsReceiveIsMatched_notBefore(int bytes, RendezvousMode mode) {
        Ranks.run(2, OPTIONS.withRendezvous(mode), world -> {
            MemorySegment message =
                    Arena.ofAuto().allocate(Math.max(1, bytes), 8).asSlice(0, bytes);
            MemorySegment go = MemorySegment.ofArray(new byte[1]);
            if (world.rank() == 0) {
                message.fill((byte) 7);
                Request send = world.issend(message, 1, 3);
                world.send(go, 1, 4);
                world.recv(go, 1, 4);
                for (int i = 0; i < ROUNDS; i++) {
                    assertFalse(send.test());
                }
                world.send(go, 1, 4);
                send.await();
                world.ssend(message, 1, 5);
            } else {
                world.recv(go, 0, 4);
                world.send(go, 0, 4);
                world.recv(go, 0, 4);
                assertEquals(bytes, world.recv(message, 0, 3).count());
                assertTrue(bytes == 0 || message.get(ValueLayout.JAVA_BYTE, bytes - 1) == 7);
                world.recv(message, 0, 5);
            }
        });
    }

    @Test
    void sendToItself_waitsForItsReceive() {
        Ranks.run(1, OPTIONS, world -> {
            MemorySegment word = MemorySegment.ofArray(new byte[] {5});
            MemorySegment into = MemorySegment.ofArray(new byte[1]);
            Request send = world.issend(word, 0, 0);
            assertFalse(send.test());
            world.recv(into, 0, 0);
            assertTrue(send.test());
            assertEquals(5, into.get(ValueLayout.JAVA_BYTE, 0));
        });
    }

    @Test
    void longerMessage_isTruncated_andItsLengthIsReported() {
        Ranks.run(2, OPTIONS, world -> {
            for (int bytes : new int[] {20, 500_000}) {
                if (world.rank() == 0) {
                    world.send(Arena.ofAuto().allocate(bytes), 1, 0);
                } else {
                    MemorySegment into = MemorySegment.ofArray(new byte[10]);
                    assertEquals(
                            bytes,
                            assertThrows(TruncatedException.class, () -> world.recv(into, 0, 0))
                                    .messageBytes());
                }
            }
        });
    }
}
