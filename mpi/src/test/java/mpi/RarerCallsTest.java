package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import java.nio.ByteBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Buffered sends, messages that a probe takes, attributes, and blocks of different types. */
class RarerCallsTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));

    private interface Program {
        void run(Intracomm world) throws Exception;
    }

    private static void run(int size, Program program) {
        Ranks.run(size, OPTIONS, world -> program.run(new Intracomm(world)));
    }

    @Test
    void bufferedSend_longerThanAllBuffers_doesNotWaitForItsReceive() {
        run(2, world -> {
            int other = 1 - world.getRank();
            int[] sent = new int[100_000];
            for (int round = 0; round < 3; round++) {
                Arrays.fill(sent, 10 * round + world.getRank());
                world.bSend(sent, sent.length, MPI.INT, other, round); // both ranks: one of them would wait forever
                Arrays.fill(sent, -1); // the message was copied
            }
            IntBuffer direct = MPI.newIntBuffer(100_000);
            direct.put(0, 77);
            Request started = world.ibSend(direct, direct.capacity(), MPI.INT, other, 3);
            direct.put(0, 0);
            started.waitFor();
            Prequest prepared = world.bSendInit(direct, direct.capacity(), MPI.INT, other, 4);
            direct.put(0, 88);
            prepared.start();
            prepared.waitFor();
            direct.put(0, 0);
            int[] into = new int[sent.length];
            int[] expected = {other, 10 + other, 20 + other, 77, 88};
            for (int tag = 0; tag < expected.length; tag++) {
                world.recv(into, into.length, MPI.INT, other, tag);
                assertEquals(expected[tag], into[0]);
            }
            world.bSend(sent, 1, MPI.INT, MPI.PROC_NULL, 0);
            world.awaitBuffered();
        });
    }

    @Test
    void probedMessage_isReceivedByItsObjectOnly() {
        run(2, world -> {
            if (world.getRank() == 0) {
                world.send(new int[] {1}, 1, MPI.INT, 1, 6);
                world.send(new int[] {2}, 1, MPI.INT, 1, 6);
            } else {
                Message message = new Message();
                assertTrue(message.isNull());
                assertThrows(MPIException.class, () -> message.mRecv(new int[1], 1, MPI.INT));
                Status found = message.mProbe(MPI.ANY_SOURCE, MPI.ANY_TAG, world);
                assertEquals(1, found.getCount(MPI.INT));
                assertEquals(6, found.getTag());
                assertFalse(message.isNull());
                int[] second = new int[1];
                world.recv(second, 1, MPI.INT, 0, 6);
                int[] first = new int[1];
                message.mRecv(first, 1, MPI.INT);
                assertArrayEquals(new int[] {1, 2}, new int[] {first[0], second[0]});
                assertTrue(message.isNull());
                assertNull(message.imProbe(0, 6, world));
                message.mProbe(MPI.PROC_NULL, 0, world);
                assertTrue(message.isNoProc());
                assertEquals(MPI.PROC_NULL, message.mRecv(first, 1, MPI.INT).getSource());
            }
        });
    }

    @Test
    void attributes_areCopiedByDup_andBelongToTheirKey() {
        run(1, world -> {
            int key = Comm.createKeyval();
            int other = Comm.createKeyval();
            assertNull(world.getAttr(key));
            world.setAttr(key, "value");
            Intracomm copy = world.dup();
            assertEquals("value", copy.getAttr(key));
            assertNull(copy.getAttr(other));
            copy.deleteAttr(key);
            assertNull(copy.getAttr(key));
            assertEquals("value", world.getAttr(key));
            Comm.freeKeyval(key);
            assertEquals(
                    MPI.ERR_KEYVAL,
                    assertThrows(MPIException.class, () -> world.getAttr(key)).getErrorClass());
            assertTrue(Comm.createKeyval() > other, "a freed key is not used again");
            assertTrue(world.getAttr(MPI.TAG_UB) instanceof Integer most && most >= 32767);
            assertThrows(MPIException.class, () -> world.setAttr(MPI.TAG_UB, 1));
            Datatype type = MPI.INT.dup();
            type.setAttr(other, 5);
            assertEquals(5, type.dup().getAttr(other));
            assertNull(MPI.INT.getAttr(other));
            copy.free();
        });
    }

    @Test
    void allToAllw_eachBlockHasItsTypeAndDisplacement() {
        run(2, world -> {
            int rank = world.getRank();
            ByteBuffer out = MPI.newByteBuffer(64);
            ByteBuffer in = MPI.newByteBuffer(64);
            Datatype gaps = Datatype.createVector(2, 1, 2, MPI.INT);
            // To rank 0 two ints with a gap at byte 8, to rank 1 a double at byte 32.
            out.putInt(8, 100 + rank).putInt(16, 200 + rank).putDouble(32, 0.5 + rank);
            int[] counts = {1, 1};
            int[] places = {8, 32};
            Datatype[] types = {gaps, MPI.DOUBLE};
            Datatype own = rank == 0 ? gaps : MPI.DOUBLE;
            int[] into = {0, 40};
            world.allToAllw(out, counts, places, types, in, counts, into, new Datatype[] {own, own});
            for (int from = 0; from < 2; from++) {
                if (rank == 0) {
                    assertEquals(100 + from, in.getInt(into[from]));
                    assertEquals(0, in.getInt(into[from] + 4));
                    assertEquals(200 + from, in.getInt(into[from] + 8));
                } else {
                    assertEquals(0.5 + from, in.getDouble(into[from]));
                }
            }
            assertThrows(
                    MPIException.class,
                    () -> world.allToAllw(out, counts, new int[] {-1, 0}, types, in, counts, into, types));
            assertThrows(
                    MPIException.class, () -> world.allToAllw(out, new int[1], places, types, in, counts, into, types));
            world.barrier();
        });
    }
}
