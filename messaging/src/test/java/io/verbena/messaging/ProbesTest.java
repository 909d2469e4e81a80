package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A message that a probe takes: nothing else receives it, whatever its length and its source. */
class ProbesTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));
    private static final int[] LENGTHS = {0, 8, 300_000};

    private static MemorySegment message(int length, int value) {
        MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, length), 8).asSlice(0, length);
        memory.fill((byte) value);
        return memory;
    }

    private static int valueOf(MemorySegment memory) {
        return memory.byteSize() == 0 ? -1 : memory.get(ValueLayout.JAVA_BYTE, memory.byteSize() - 1);
    }

    @Test
    void taken_theNextReceiveGetsTheNextMessage() {
        Ranks.run(2, OPTIONS, world -> {
            for (int length : LENGTHS) {
                if (world.rank() == 0) {
                    Request first = world.isend(message(length, 1), 1, 5);
                    Request second = world.isend(message(length, 2), 1, 5);
                    Request.awaitAll(first, second);
                } else {
                    Message taken = world.mprobe(Communicator.ANY_SOURCE, Communicator.ANY_TAG);
                    assertEquals(length, taken.status().count());
                    assertEquals(0, taken.status().source());
                    assertEquals(5, taken.status().tag());
                    MemorySegment next = message(length, 0);
                    world.recv(next, 0, 5);
                    MemorySegment into = message(length, 0);
                    Status status = taken.recv(into);
                    assertEquals(length, status.count());
                    if (length > 0) {
                        assertEquals(1, valueOf(into));
                        assertEquals(2, valueOf(next));
                    }
                    assertThrows(IllegalStateException.class, () -> taken.recv(into));
                }
            }
        });
    }

    @Test
    void nothingArrived_nothingIsTaken() {
        Ranks.run(2, OPTIONS, world -> {
            assertTrue(world.improbe(Communicator.ANY_SOURCE, 7).isEmpty());
            world.barrier();
            if (world.rank() == 0) {
                world.send(message(8, 3), 1, 7);
            } else {
                assertTrue(world.improbe(0, 8).isEmpty());
                Optional<Message> taken = Optional.empty();
                while (taken.isEmpty()) {
                    taken = world.improbe(0, 7);
                }
                assertFalse(world.iprobe(0, 7, new Status()), "the message is not there any more");
                MemorySegment into = message(8, 0);
                taken.get().irecv(into).await();
                assertEquals(3, valueOf(into));
            }
        });
    }

    @Test
    void fromThisRank_alsoALongOneIsTaken() {
        Ranks.run(1, OPTIONS, world -> {
            for (int length : LENGTHS) {
                Request send = world.isend(message(length, 4), 0, 1);
                Message taken = world.mprobe(0, 1);
                MemorySegment into = message(length, 0);
                assertEquals(length, taken.recv(into).count());
                send.await();
                assertTrue(length == 0 || valueOf(into) == 4);
            }
        });
    }

    @Test
    void tooShortABuffer_truncatesTheMessage() {
        Ranks.run(2, OPTIONS, world -> {
            for (int length : new int[] {16, 300_000}) {
                if (world.rank() == 0) {
                    world.send(message(length, 1), 1, 5);
                } else {
                    Message taken = world.mprobe(0, 5);
                    assertThrows(TruncatedException.class, () -> taken.recv(message(8, 0)));
                }
            }
            world.barrier();
        });
    }
}
