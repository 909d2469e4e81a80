package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import java.nio.IntBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the tests of Open MPI's bindings use, as {@code proofs/mpi-strangers} found out. */
class OthersProgramsTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));

    private interface Program {
        void run(Intracomm world) throws Exception;
    }

    private static void run(int size, Program program) {
        Ranks.run(size, OPTIONS, world -> program.run(new Intracomm(world)));
    }

    @Test
    void countsAndDisplacements_inLongerArrays_thoseOfTheRanksCount() {
        run(2, world -> {
            int[] counts = {1, 2, 99, 99};
            int[] places = {0, 1, 99, 99};
            int[] own = {10 + world.getRank(), 20 + world.getRank()};
            int[] all = new int[3];
            world.allGatherv(own, 1 + world.getRank(), MPI.INT, all, counts, places, MPI.INT);
            assertArrayEquals(new int[] {10, 11, 21}, all);
            int[] part = new int[counts[world.getRank()]];
            world.scatterv(all, counts, places, MPI.INT, part, part.length, MPI.INT, 0);
            assertEquals(10 + world.getRank(), part[0]);
            world.reduceScatter(all, part, counts, MPI.INT, MPI.SUM);
            assertEquals(20 + 2 * world.getRank(), part[0]);
            int[] back = new int[3];
            world.gatherv(part, part.length, MPI.INT, back, counts, places, MPI.INT, 1);
            assertArrayEquals(world.getRank() == 1 ? new int[] {20, 22, 42} : new int[3], back);
        });
    }

    @Test
    void noRequestInProgress_someFormsReturnNull() throws MPIException {
        for (Request[] requests : new Request[][] {{}, {MPI.REQUEST_NULL}}) {
            assertNull(Request.testSome(requests));
            assertNull(Request.testSomeStatus(requests));
            assertNull(Request.waitSome(requests));
            assertNull(Request.waitSomeStatus(requests));
        }
    }

    @Test
    void persistentFormsOfAllSends_arrive() {
        run(2, world -> {
            IntBuffer own = MPI.newIntBuffer(1).put(0, world.getRank());
            int other = 1 - world.getRank();
            Prequest[] sends = {
                world.bSendInit(own, 1, MPI.INT, other, 0),
                world.rSendInit(own, 1, MPI.INT, other, 1),
                world.sSendInit(own, 1, MPI.INT, other, 2)
            };
            for (int i = 0; i < sends.length; i++) {
                IntBuffer into = MPI.newIntBuffer(1);
                Request receive = world.iRecv(into, 1, MPI.INT, other, i);
                sends[i].start();
                receive.waitFor();
                sends[i].waitFor();
                assertEquals(other, into.get(0));
            }
        });
    }

    @Test
    void cloneAndDupWithInfo_areOtherCommunicatorsOfTheSameRanks() {
        run(2, world -> {
            for (Intracomm copy : new Intracomm[] {world.clone(), world.dupWithInfo(MPI.INFO_NULL)}) {
                assertEquals(MPI.CONGRUENT, Comm.compare(world, copy));
                copy.free();
            }
        });
    }

    @Test
    void ranges_giveTheirMembers_malformedOnesAreErrors() {
        run(4, world -> {
            Group all = world.getGroup();
            assertEquals(3, all.rangeIncl(new int[][] {{0, 2, 2}, {3, 3, 1}}).getSize());
            assertEquals(1, all.rangeExcl(new int[][] {{3, 1, -1}}).getSize());
            assertEquals(0, all.rangeIncl(new int[][] {}).getSize());
            for (int[] range : new int[][] {{0, 1}, {0, 1, 0}, {0, 9, 1}, {-4, 0, 2}}) {
                assertThrows(MPIException.class, () -> all.rangeIncl(new int[][] {range}));
            }
        });
    }

    @Test
    void attachedBuffer_isReturned() throws MPIException {
        byte[] buffer = new byte[10];
        MPI.attachBuffer(buffer);
        assertSame(buffer, MPI.detachBuffer());
    }
}
