package mpi;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import java.nio.ByteBuffer;
import java.nio.DoubleBuffer;
import java.nio.IntBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The calls of programs for the package, with ranks that are threads. */
class MpiTest {

    private static final MessagingOptions OPTIONS = MessagingOptions.defaults().withTimeout(Duration.ofSeconds(60));

    private interface Program {
        void run(Intracomm world) throws Exception;
    }

    private static void run(int size, Program program) {
        Ranks.run(size, OPTIONS, world -> program.run(new Intracomm(world)));
    }

    @Test
    void arraysOfEveryType_goToAnotherRank() {
        run(2, world -> {
            Object[] sent = {
                new byte[] {1, 2}, new char[] {'a', 'b'}, new short[] {3, 4}, new boolean[] {true, false},
                new int[] {5, 6}, new long[] {7, 8}, new float[] {9, 10}, new double[] {11, 12}
            };
            Object[] into = {
                new byte[2],
                new char[2],
                new short[2],
                new boolean[2],
                new int[2],
                new long[2],
                new float[2],
                new double[2]
            };
            Datatype[] types = {MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.BOOLEAN, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE};
            for (int i = 0; i < types.length; i++) {
                if (world.getRank() == 0) {
                    world.send(sent[i], 2, types[i], 1, i);
                } else {
                    Status status = world.recv(into[i], 2, types[i], MPI.ANY_SOURCE, MPI.ANY_TAG);
                    assertEquals(0, status.getSource());
                    assertEquals(i, status.getTag());
                    assertEquals(2, status.getCount(types[i]));
                }
            }
            if (world.getRank() == 1) {
                assertArrayEquals(sent, into);
            }
        });
    }

    @Test
    void directBuffers_requestsProbesAndNoRank() {
        run(2, world -> {
            int other = 1 - world.getRank();
            IntBuffer out = MPI.newIntBuffer(4);
            IntBuffer in = MPI.newIntBuffer(4);
            out.put(3, 7 + world.getRank());
            Request[] requests = {
                world.iRecv(MPI.slice(in, 2), 2, MPI.INT, other, 5),
                world.iSend(MPI.slice(out, 2), 2, MPI.INT, other, 5)
            };
            Request.waitAll(requests);
            assertTrue(requests[0].isNull());
            assertEquals(7 + other, in.get(3));
            assertEquals(0, in.get(1));
            assertNull(world.iProbe(other, 6));
            world.send(out, 4, MPI.INT, MPI.PROC_NULL, 0);
            assertEquals(
                    MPI.PROC_NULL, world.recv(in, 4, MPI.INT, MPI.PROC_NULL, 0).getSource());
            int[] swapped = {world.getRank()};
            world.sendRecvReplace(swapped, 1, MPI.INT, other, 1, other, 1);
            assertEquals(other, swapped[0]);
            Status both = world.sendRecv(out, 4, MPI.INT, other, 2, in, 4, MPI.INT, other, 2);
            assertEquals(4, both.getCount(MPI.INT));
            Prequest[] again = {world.recvInit(in, 1, MPI.INT, other, 3), world.sendInit(out, 1, MPI.INT, other, 3)};
            for (int i = 0; i < 3; i++) {
                out.put(0, i);
                Prequest.startAll(again);
                Request.waitAll(again);
                assertEquals(i, in.get(0));
                world.barrier();
            }
        });
    }

    @Test
    void columnsOfAMatrix_areADerivedType() {
        run(2, world -> {
            Datatype column = Datatype.createVector(3, 1, 4, MPI.DOUBLE);
            column.commit();
            assertEquals(24, column.getSize());
            assertEquals(72, column.getExtent());
            double[] matrix = new double[12];
            if (world.getRank() == 0) {
                for (int i = 0; i < 12; i++) {
                    matrix[i] = i;
                }
                world.send(matrix, 1, column, 1, 0);
            } else {
                world.recv(matrix, 1, column, 0, 0);
                assertArrayEquals(new double[] {0, 0, 0, 0, 4, 0, 0, 0, 8, 0, 0, 0}, matrix);
                double[] packed = new double[3];
                world.send(matrix, 1, column, 1, 1);
                world.recv(packed, 3, MPI.DOUBLE, 1, 1);
                assertArrayEquals(new double[] {0, 4, 8}, packed);
            }
            world.bcast(matrix, 1, column, 0);
            Datatype indexed = Datatype.createIndexed(new int[] {2, 1}, new int[] {0, 3}, MPI.INT);
            assertEquals(12, indexed.getSize());
            assertEquals(16, indexed.getExtent());
        });
    }

    @Test
    void structuresAndPackedElements_goToAnotherRank() {
        run(2, world -> {
            Datatype record = Datatype.createResized(
                    Datatype.createStruct(
                            new int[] {1, 2, 1}, new int[] {0, 8, 24}, new Datatype[] {MPI.INT, MPI.DOUBLE, MPI.BYTE}),
                    0,
                    32);
            assertEquals(21, record.getSize());
            assertEquals(32, record.getExtent());
            assertEquals(25, record.getTrueExtent());
            ByteBuffer records = MPI.newByteBuffer(64);
            if (world.getRank() == 0) {
                for (int i = 0; i < 2; i++) {
                    records.putInt(32 * i, i + 1);
                    records.putDouble(32 * i + 8, 1.5 * i);
                    records.putDouble(32 * i + 16, 2.5);
                    records.put(32 * i + 24, (byte) 9);
                }
                world.send(records, 2, record, 1, 0);
                byte[] packed = new byte[world.packSize(1, record) + world.packSize(3, MPI.INT)];
                int position = world.pack(new int[] {7, 8, 9}, 3, MPI.INT, packed, 0);
                position = world.pack(records, 1, record, packed, position);
                world.send(packed, position, MPI.PACKED, 1, 1);
                fails(MPI.ERR_ARG, () -> world.pack(records, 2, record, packed, 0));
            } else {
                Status status = world.recv(records, 2, record, 0, 0);
                assertEquals(2, status.getCount(record));
                assertEquals(8, status.getElements(record));
                assertEquals(2, records.getInt(32));
                assertEquals(1.5, records.getDouble(40));
                assertEquals(9, records.get(56));
                assertEquals(0, records.getInt(28));
                byte[] packed = new byte[100];
                world.recv(packed, 100, MPI.PACKED, 0, 1);
                int[] ints = new int[3];
                int position = world.unpack(packed, 0, ints, 3, MPI.INT);
                assertArrayEquals(new int[] {7, 8, 9}, ints);
                ByteBuffer one = MPI.newByteBuffer(32);
                assertEquals(33, world.unpack(packed, position, one, 1, record));
                assertEquals(2.5, one.getDouble(16));
            }
            fails(MPI.ERR_OP, () -> world.allReduce(records, 1, record, MPI.SUM));
            Datatype before = Datatype.createHIndexed(new int[] {1}, new int[] {-4}, MPI.INT);
            fails(MPI.ERR_TYPE, () -> world.send(records, 1, before, 0, 0));
        });
    }

    @Test
    void synchronousSend_waitsForItsReceive() {
        run(2, world -> {
            int[] one = {world.getRank()};
            if (world.getRank() == 0) {
                IntBuffer buffer = MPI.newIntBuffer(1);
                Request send = world.isSend(buffer, 1, MPI.INT, 1, 0);
                assertTrue(!send.test());
                world.sSend(one, 1, MPI.INT, 1, 1);
                send.waitFor();
            } else {
                world.recv(one, 1, MPI.INT, 0, 1);
                world.recv(one, 1, MPI.INT, 0, 0);
            }
        });
    }

    @Test
    void collectives_withAndWithoutPlace() {
        run(3, world -> {
            int rank = world.getRank();
            int[] sum = {rank, 1};
            world.allReduce(sum, 2, MPI.INT, MPI.SUM);
            assertArrayEquals(new int[] {3, 3}, sum);
            int[] result = new int[1];
            world.reduce(new int[] {rank}, result, 1, MPI.INT, MPI.MAX, 1);
            assertEquals(rank == 1 ? 2 : 0, result[0]);
            int[] all = new int[3];
            world.gather(new int[] {rank * rank}, 1, MPI.INT, all, 1, MPI.INT, 2);
            assertArrayEquals(rank == 2 ? new int[] {0, 1, 4} : new int[3], all);
            world.allGather(new int[] {rank + 1}, 1, MPI.INT, all, 1, MPI.INT);
            assertArrayEquals(new int[] {1, 2, 3}, all);
            int[] own = new int[1];
            world.scatter(all, 1, MPI.INT, own, 1, MPI.INT, 0);
            assertEquals(rank + 1, own[0]);
            int[] turned = new int[3];
            world.allToAll(new int[] {10 * rank, 10 * rank + 1, 10 * rank + 2}, 1, MPI.INT, turned, 1, MPI.INT);
            assertArrayEquals(new int[] {rank, 10 + rank, 20 + rank}, turned);
            world.scan(new int[] {rank}, own, 1, MPI.INT, MPI.SUM);
            assertEquals(rank * (rank + 1) / 2, own[0]);
            int[] counts = {1, 0, 2};
            int[] places = {2, 0, 0};
            int[] parts = new int[3];
            world.allGatherv(new int[] {rank, rank}, counts[rank], MPI.INT, parts, counts, places, MPI.INT);
            assertArrayEquals(new int[] {2, 2, 0}, parts);
            if (rank == 0) {
                parts[2] = 5;
                world.gatherv(parts, counts, places, MPI.INT, 0);
                assertArrayEquals(new int[] {9, 9, 5}, parts);
            } else {
                world.gatherv(new int[] {9, 9}, counts[rank], MPI.INT, 0);
            }
            boolean[] flags = {rank == 1};
            world.allReduce(flags, 1, MPI.BOOLEAN, MPI.LOR);
            assertTrue(flags[0]);
            DoubleBuffer value = MPI.newDoubleBuffer(1);
            value.put(0, rank);
            Request request = world.iAllReduce(value, 1, MPI.DOUBLE, MPI.SUM);
            request.waitFor();
            assertEquals(3.0, value.get(0));
            world.barrier();
        });
    }

    @Test
    void operationOfTheProgram_keepsTheOrder() {
        run(4, world -> {
            Op last = new Op(
                    new UserFunction() {
                        @Override
                        public void call(Object in, Object inOut, int count, Datatype type) {
                            int[] first = (int[]) in;
                            int[] second = (int[]) inOut;
                            for (int i = 0; i < count; i++) {
                                second[i] = 10 * first[i] + second[i];
                            }
                        }
                    },
                    false);
            int[] digit = {world.getRank() + 1};
            world.allReduce(digit, 1, MPI.INT, last);
            // Each combination shifts the left operand by one digit: associative for the order that is used here.
            assertEquals(4, digit[0] % 10);
            Op least = new Op(
                    new UserFunction() {
                        @Override
                        public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
                            for (int i = 0; i < in.remaining(); i++) {
                                inOut.put(i, (byte) Math.min(in.get(i), inOut.get(i)));
                            }
                        }
                    },
                    true);
            byte[] bytes = {(byte) (5 - world.getRank()), 7};
            world.allReduce(bytes, 2, MPI.BYTE, least);
            assertArrayEquals(new byte[] {2, 7}, bytes);
        });
    }

    @Test
    void gridsGroupsAndColors() {
        run(6, world -> {
            int[] dims = new int[2];
            CartComm.createDims(6, dims);
            assertArrayEquals(new int[] {3, 2}, dims);
            CartComm grid = world.createCart(dims, new boolean[] {true, false}, false);
            int[] coords = grid.getCoords(grid.getRank());
            assertEquals(grid.getRank(), grid.getRank(coords));
            ShiftParms along = grid.shift(0, 1);
            assertEquals((world.getRank() + 2) % 6, along.getRankDest());
            assertEquals(
                    coords[1] == 1 ? MPI.PROC_NULL : world.getRank() + 1,
                    grid.shift(1, 1).getRankDest());
            CartComm row = grid.sub(new boolean[] {false, true});
            assertEquals(2, row.getSize());
            assertEquals(coords[1], row.getRank());
            Intracomm even = world.split(world.getRank() % 2 == 0 ? 0 : MPI.UNDEFINED, 0);
            assertEquals(world.getRank() % 2 != 0, even.isNull());
            Group two = world.getGroup().incl(new int[] {4, 1});
            Intracomm pair = world.create(two);
            if (!pair.isNull()) {
                assertEquals(world.getRank() == 4 ? 0 : 1, pair.getRank());
                assertArrayEquals(
                        new int[] {4}, Group.translateRanks(pair.getGroup(), new int[] {0}, world.getGroup()));
                pair.free();
            }
            assertEquals(MPI.SIMILAR, Group.compare(two, world.getGroup().incl(new int[] {1, 4})));
        });
    }

    @Test
    void window_putsGetsAndSums_areThereAfterTheFence() {
        run(3, world -> {
            int rank = world.getRank();
            IntBuffer memory = MPI.newIntBuffer(8);
            for (int i = 0; i < 8; i++) {
                memory.put(i, 100 * rank + i);
            }
            Win window = new Win(memory, 8, 1, MPI.INFO_NULL, world);
            window.fence(0);
            IntBuffer one = MPI.newIntBuffer(1);
            one.put(0, rank + 1);
            IntBuffer fetched = MPI.newIntBuffer(3);
            window.put(one, 1, MPI.INT, (rank + 1) % 3, 7, 1, MPI.INT);
            window.accumulate(one, 1, MPI.INT, 0, 6, 1, MPI.INT, MPI.SUM);
            window.get(fetched, 3, MPI.INT, (rank + 2) % 3, 1, 3, MPI.INT);
            window.fence(0);
            assertEquals((rank + 2) % 3 + 1, memory.get(7));
            assertEquals(rank == 0 ? 12 : 100 * rank + 6, memory.get(6));
            assertEquals(100 * ((rank + 2) % 3) + 3, fetched.get(2));
            fails(MPI.ERR_ARG, () -> window.put(one, 1, MPI.INT, 0, 8, 1, MPI.INT));
            fails(MPI.ERR_RANK, () -> window.get(one, 1, MPI.INT, 3, 0, 1, MPI.INT));
            window.free();
        });
    }

    private static void fails(int errorClass, org.junit.jupiter.api.function.Executable call) {
        assertEquals(errorClass, assertThrows(MPIException.class, call).getErrorClass());
    }

    @Test
    void mistakes_haveTheClassesOfMpi() {
        run(2, world -> {
            int[] one = new int[1];
            fails(MPI.ERR_RANK, () -> world.send(one, 1, MPI.INT, 2, 0));
            fails(MPI.ERR_TAG, () -> world.send(one, 1, MPI.INT, 1, -5));
            fails(MPI.ERR_COUNT, () -> world.send(one, -1, MPI.INT, 1, 0));
            fails(MPI.ERR_BUFFER, () -> world.send(one, 2, MPI.INT, 1, 0));
            fails(MPI.ERR_BUFFER, () -> world.send("text", 1, MPI.INT, 1, 0));
            fails(MPI.ERR_TYPE, () -> world.send(one, 1, MPI.DATATYPE_NULL, 1, 0));
            fails(MPI.ERR_ROOT, () -> world.bcast(one, 1, MPI.INT, 2));
            fails(MPI.ERR_OP, () -> world.allReduce(new float[1], 1, MPI.FLOAT, MPI.BAND));
            fails(MPI.ERR_OP, () -> world.allReduce(new float[2], 1, MPI.FLOAT_COMPLEX, MPI.PROD));
            fails(MPI.ERR_COMM, () -> MPI.COMM_NULL.barrier());
            if (world.getRank() == 0) {
                world.send(new int[2], 2, MPI.INT, 1, 0);
            } else {
                fails(MPI.ERR_TRUNCATE, () -> world.recv(one, 1, MPI.INT, 0, 0));
            }
            world.send(null, 0, MPI.INT, 1 - world.getRank(), 1);
            assertEquals(0, world.recv(null, 0, MPI.INT, 1 - world.getRank(), 1).getCount(MPI.INT));
        });
    }

    @Test
    void environment_ofASingleRank() throws MPIException {
        assertEquals(MPI.THREAD_SERIALIZED, MPI.InitThread(new String[0], MPI.THREAD_MULTIPLE));
        assertTrue(MPI.isInitialized() && !MPI.isFinalized() && MPI.isThreadMain());
        assertEquals(1, MPI.COMM_SELF.getSize());
        assertEquals(MPI.CONGRUENT, Comm.compare(MPI.COMM_WORLD, MPI.COMM_SELF));
        MPI.COMM_WORLD.barrier();
        fails(MPI.ERR_OTHER, () -> MPI.Init(new String[0]));
        MPI.Finalize();
        assertTrue(MPI.isFinalized());
        fails(MPI.ERR_COMM, () -> MPI.COMM_WORLD.getRank());
    }
}
