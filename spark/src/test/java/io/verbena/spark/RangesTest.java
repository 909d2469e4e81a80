package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.Until;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blocks of map outputs that one executor serves and another one reads. */
class RangesTest {

    @TempDir
    private Path directory;

    private TwoExecutors both;

    @BeforeEach
    void open() throws IOException {
        both = new TwoExecutors(directory);
    }

    @AfterEach
    void close() {
        both.close();
    }

    @Test
    void blocksOfMappedOutputs_areReadAndTheMemoryIsGivenBack() throws Exception {
        byte[] one = both.output(1, 100_000, 0, 50_000);
        byte[] two = both.output(2, 1, 200_000);
        TwoExecutors.Delivered delivered =
                both.fetch("shuffle_4_1_0", "shuffle_4_1_2", "shuffle_4_2_0_2", "shuffle_4_1_1");
        assertArrayEquals(Arrays.copyOf(one, 100_000), delivered.bytes("shuffle_4_1_0"));
        assertArrayEquals(Arrays.copyOfRange(one, 100_000, 150_000), delivered.bytes("shuffle_4_1_2"));
        assertArrayEquals(two, delivered.bytes("shuffle_4_2_0_2"));
        assertEquals(0, delivered.bytes("shuffle_4_1_1").length);
        // Partitions 0 and 2 of task 1 follow each other in the file.
        assertEquals(2, both.reading.reads.get());
        assertEquals(1, both.reading.doorbells.get());
        assertTrue(both.peers().buffers().takenBytes() > 0);
        delivered.release();
        // The handler delivers one after the other: it has released the blocks before.
        both.fetch("shuffle_4_1_1");
        assertEquals(0, both.peers().buffers().takenBytes());
    }

    @Test
    void tinyBlocksOfManyMaps_areReadByFewReads() throws Exception {
        int maps = 1_000;
        List<String> names = new ArrayList<>();
        List<byte[]> expected = new ArrayList<>();
        for (int map = 0; map < maps; map++) {
            byte[] data = both.output(map, 100, 100, 100);
            names.add("shuffle_4_" + map + "_1");
            expected.add(Arrays.copyOfRange(data, 100, 200));
        }
        TwoExecutors.Delivered delivered = both.fetch(names.toArray(String[]::new));
        for (int map = 0; map < maps; map++) {
            assertArrayEquals(expected.get(map), delivered.bytes(names.get(map)));
        }
        delivered.release();
        assertTrue(both.reading.reads.get() <= maps / 64, () -> both.reading.reads + " Reads for " + maps + " outputs");
        assertTrue(both.serving.registeredRegions.get() <= 4, () -> both.serving.registeredRegions + " regions");
        both.server().remove(TwoExecutors.SHUFFLE);
        assertEquals(0, both.serving.registeredBytes.get());
    }

    /** What another executor has of 10,000 maps for 1,000 reducers. Each output is too long for a shared region. */
    @Test
    void tinyBlocksOf5000MappedOutputs_areReadByOneReadFor255() throws Exception {
        int maps = 5_000;
        int[] lengths = new int[1_000];
        Arrays.fill(lengths, 100);
        byte[] data = both.output(0, lengths);
        for (int map = 1; map < maps; map++) {
            both.link(TwoExecutors.SHUFFLE, map, 0);
        }
        String[] names = IntStream.range(0, maps)
                .mapToObj(map -> "shuffle_4_" + map + "_700")
                .toArray(String[]::new);
        TwoExecutors.Delivered delivered = both.fetch(names);
        for (String name : names) {
            assertArrayEquals(Arrays.copyOfRange(data, 70_000, 70_100), delivered.bytes(name));
        }
        delivered.release();
        assertEquals(20, both.reading.reads.get());
        assertEquals(maps, both.serving.registeredRegions.get());
    }

    @Test
    void memoryThatIsNotInUse_isBoundedAndZeroAfterTheLastShuffleWasRemoved() throws Exception {
        for (int map = 0; map < 600; map++) {
            both.output(map, 1_000, 1_000);
        }
        both.output(1_000, 3 << 20, 3 << 20);
        for (int round = 0; round < 3; round++) {
            String[] small = IntStream.range(0, 600)
                    .mapToObj(map -> "shuffle_4_" + map + "_0")
                    .toArray(String[]::new);
            both.fetch(small).release();
            both.fetch("shuffle_4_1000_0").release();
        }
        both.fetch("shuffle_4_1_0").release(); // the fetches before it have given their memory back
        assertTrue(both.reading.idleBytes.get() > 0);
        assertTrue(both.reading.idleBytes.get() <= both.settings.idleBytes());
        TwoExecutors.Delivered inUse = both.fetch("shuffle_4_1000_1");
        both.server().remove(TwoExecutors.SHUFFLE);
        both.peers().remove(TwoExecutors.SHUFFLE);
        inUse.release();
        Until.holds("the blocks are closed", () -> both.peers().buffers().takenBytes() == 0);
        assertEquals(0, both.reading.idleBytes.get());
        Until.holds(
                "the places of collected blocks are closed",
                () -> both.server().places().takenBytes() == 0);
        assertEquals(0, both.serving.idleBytes.get());
        assertEquals(0, both.serving.registeredBytes.get());
    }

    @Test
    void shuffleThatIsRead_keepsMemoryUntilItIsRemoved() throws Exception {
        both.output(1, 100_000);
        both.fetch("shuffle_4_1_0").release();
        Until.holds("the block was given back", () -> both.reading.idleBytes.get() > 0);
        both.peers().remove(TwoExecutors.SHUFFLE + 1);
        assertTrue(both.reading.idleBytes.get() > 0);
        both.peers().remove(TwoExecutors.SHUFFLE);
        assertEquals(0, both.reading.idleBytes.get());
        // A late fetch of a shuffle that was removed keeps nothing.
        both.fetch("shuffle_4_1_0").release();
        Until.holds("the block is closed", () -> both.peers().buffers().takenBytes() == 0);
        assertEquals(0, both.reading.idleBytes.get());
    }

    @Test
    void removedShuffle_hasNoRegisteredBytesAndItsFetchFails() throws Exception {
        both.output(1, 100_000);
        both.fetch("shuffle_4_1_0").release();
        assertEquals(100_000, both.serving.registeredBytes.get());
        both.server().remove(TwoExecutors.SHUFFLE);
        assertEquals(0, both.serving.registeredBytes.get());
        assertEquals(0, both.serving.registeredRegions.get());
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertTrue(delivered.failure("shuffle_4_1_0").contains("shuffle 4 was removed"), delivered.failures::toString);
        assertEquals(0, both.serving.registeredBytes.get());
    }

    @Test
    void keyThatWasRevoked_endsTheConnectionAndOtherFetchesBeginAgain() throws Exception {
        byte[] data = both.output(1, 100_000);
        MapOutput output = both.server().outputs().open(TwoExecutors.SHUFFLE, 1);
        both.fetch("shuffle_4_1_0").release();
        output.region().orElseThrow().renewKey(); // answers name the new one
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertArrayEquals(data, delivered.bytes("shuffle_4_1_0"));
        delivered.release();
    }

    @Test
    void laterBlocksOfOutputsThatAreKnown_areReadWithoutARequest() throws Exception {
        byte[] one = both.output(1, 50_000, 0, 70_000);
        byte[] two = both.output(2, 60_000, 80_000, 90_000);
        both.fetch("shuffle_4_1_0", "shuffle_4_2_0").release();
        assertEquals(1, both.reading.opens.get());
        TwoExecutors.Delivered known = both.fetch("shuffle_4_1_1_3", "shuffle_4_2_1", "shuffle_4_1_1");
        assertArrayEquals(Arrays.copyOfRange(one, 50_000, 120_000), known.bytes("shuffle_4_1_1_3"));
        assertArrayEquals(Arrays.copyOfRange(two, 60_000, 140_000), known.bytes("shuffle_4_2_1"));
        assertEquals(0, known.bytes("shuffle_4_1_1").length);
        known.release();
        assertEquals(1, both.reading.opens.get());
        assertEquals(1, both.serving.served.get());
        assertEquals(1, both.reading.located.get());
        // One output of two is new: both are requested.
        byte[] three = both.output(3, 100_000);
        TwoExecutors.Delivered mixed = both.fetch("shuffle_4_2_2", "shuffle_4_3_0");
        assertArrayEquals(Arrays.copyOfRange(two, 140_000, 230_000), mixed.bytes("shuffle_4_2_2"));
        assertArrayEquals(three, mixed.bytes("shuffle_4_3_0"));
        mixed.release();
        assertEquals(2, both.reading.opens.get());
        both.fetch("shuffle_4_3_0").release();
        assertEquals(2, both.reading.opens.get());
        // A partition that does not exist is the other executor's answer.
        assertTrue(both.fetch("shuffle_4_3_1").failures.containsKey("shuffle_4_3_1"));
        assertEquals(3, both.reading.opens.get());
    }

    @Test
    void knownOutputWithTinyBlocks_isCollectedByTheOtherExecutor() throws Exception {
        both.output(1, 100_000, 10);
        both.output(2, 100_000, 10);
        both.fetch("shuffle_4_1_0", "shuffle_4_2_0").release();
        both.fetch("shuffle_4_1_1", "shuffle_4_2_1").release();
        assertEquals(2, both.reading.opens.get());
        assertEquals(1, both.serving.gathered.get());
    }

    /** The offsets of all are longer than an answer: each request learns of some more. */
    @Test
    void outputsWithManyPartitions_areKnownAfterSomeRequests() throws Exception {
        int[] lengths = new int[1_500];
        Arrays.fill(lengths, 10_000);
        byte[] data = both.output(0, lengths);
        for (int map = 1; map < 5; map++) {
            both.link(TwoExecutors.SHUFFLE, map, 0);
        }
        for (int reducer = 0; reducer < 8; reducer++) {
            int partition = reducer;
            String[] names = IntStream.range(0, 5)
                    .mapToObj(map -> "shuffle_4_" + map + "_" + partition)
                    .toArray(String[]::new);
            TwoExecutors.Delivered delivered = both.fetch(names);
            for (String name : names) {
                assertArrayEquals(
                        Arrays.copyOfRange(data, 10_000 * partition, 10_000 * partition + 10_000),
                        delivered.bytes(name));
            }
            delivered.release();
        }
        assertEquals(3, both.reading.opens.get());
        assertEquals(5, both.reading.located.get());
    }

    /**
     * A key that is known and was revoked ends the connection of all fetches: they begin again, or fail, and none has
     * other bytes.
     */
    @Test
    void keysAreRevokedWhileThreadsFetch_noBlockHasOtherBytes() throws Exception {
        int maps = 8;
        byte[][] data = new byte[maps][];
        for (int map = 0; map < maps; map++) {
            data[map] = both.output(map, 30_000, 40_000, 50_000);
        }
        AtomicBoolean over = new AtomicBoolean();
        AtomicInteger fetches = new AtomicInteger();
        List<FutureTask<Integer>> readers = new ArrayList<>();
        for (int seed = 0; seed < 3; seed++) {
            Random random = new Random(seed);
            FutureTask<Integer> reader = new FutureTask<>(() -> {
                int delivered = 0;
                while (!over.get()) {
                    delivered += fetchTwo(random, data);
                    fetches.incrementAndGet();
                }
                return delivered;
            });
            readers.add(reader);
            Thread.ofVirtual().start(reader);
        }
        Random random = new Random(9);
        for (int i = 0; i < 20; i++) {
            int next = fetches.get() + 1 + random.nextInt(20);
            Until.holds("fetches end", () -> fetches.get() >= next);
            MapOutput output = both.server().outputs().open(TwoExecutors.SHUFFLE, random.nextInt(maps));
            output.region().orElseThrow().renewKey();
        }
        over.set(true);
        int delivered = 0;
        for (FutureTask<Integer> reader : readers) {
            delivered += reader.get();
        }
        assertTrue(delivered > 0);
        assertTrue(both.reading.located.get() > 0);
        assertEquals(2, fetchTwo(new Random(1), data), "what is known again is read");
    }

    /** Fetches a partition of two outputs; returns how many of them were delivered. */
    private int fetchTwo(Random random, byte[][] data) throws Exception {
        int partition = random.nextInt(3);
        int[] bounds = {0, 30_000, 70_000, 120_000};
        int first = random.nextInt(data.length);
        int second = (first + 1) % data.length;
        TwoExecutors.Delivered fetched =
                both.fetch("shuffle_4_" + first + "_" + partition, "shuffle_4_" + second + "_" + partition);
        int delivered = 0;
        for (int map : new int[] {first, second}) {
            String name = "shuffle_4_" + map + "_" + partition;
            if (!fetched.failures.containsKey(name)) {
                assertArrayEquals(
                        Arrays.copyOfRange(data[map], bounds[partition], bounds[partition + 1]), fetched.bytes(name));
                delivered++;
            }
        }
        fetched.release();
        return delivered;
    }

    @Test
    void shuffleThatWasRemovedByBoth_isNotKnown() throws Exception {
        both.output(1, 100_000);
        both.fetch("shuffle_4_1_0").release();
        both.server().remove(TwoExecutors.SHUFFLE);
        both.peers().remove(TwoExecutors.SHUFFLE);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertTrue(delivered.failure("shuffle_4_1_0").contains("shuffle 4 was removed"), delivered.failures::toString);
        assertEquals(0, both.reading.located.get());
        assertEquals(0, both.reading.repeated.get());
    }

    @Test
    void outputThatDoesNotExist_failsItsFetchOnly() throws Exception {
        both.output(1, 10_000);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_9_0");
        assertTrue(delivered.failures.containsKey("shuffle_4_9_0"));
        both.fetch("shuffle_4_1_0").release();
        assertEquals(0, both.reading.repeated.get());
    }

    @Test
    void outputThatIsShorterThanItsIndex_fails() throws Exception {
        both.output(1, 10_000);
        both.index(1, 20_000);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertTrue(
                delivered.failure("shuffle_4_1_0").contains("has 10000 bytes, and its index says 20000"),
                delivered.failures::toString);
        TwoExecutors.Delivered beyond = both.fetch("shuffle_4_1_7");
        assertEquals(1, beyond.failures.size());
    }

    @Test
    void rangesBeyond2GiB_areRead() throws Exception {
        long before = 3L << 30;
        byte[] last = new byte[70_000];
        new Random(1).nextBytes(last);
        try (RandomAccessFile file = new RandomAccessFile(both.data(1).toFile(), "rw")) {
            file.seek(before);
            file.write(last);
        }
        both.index(1, before, last.length);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_1");
        assertArrayEquals(last, delivered.bytes("shuffle_4_1_1"));
        delivered.release();
        TwoExecutors.Delivered tooLarge = both.fetch("shuffle_4_1_0");
        assertTrue(
                tooLarge.failure("shuffle_4_1_0").contains("maxRemoteBlockSizeFetchToMem"),
                tooLarge.failures::toString);
    }

    @Test
    void connectionThatEnds_isReplaced() throws Exception {
        byte[] data = both.output(1, 100_000);
        both.fetch("shuffle_4_1_0").release();
        both.stopServer();
        both.startServer();
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertArrayEquals(data, delivered.bytes("shuffle_4_1_0"));
        delivered.release();
    }

    @Test
    void serverThatIsGone_failsTheFetch() throws Exception {
        both.output(1, 100_000);
        both.stopServer();
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertTrue(delivered.failure("shuffle_4_1_0").contains("executor 1"), delivered.failures::toString);
        assertEquals(1, both.reading.repeated.get());
    }

    @Test
    void peerWithoutTheSecret_isRejected() throws Exception {
        both.output(1, 100_000);
        both.present(new byte[RangeServer.SECRET_BYTES]);
        TwoExecutors.Delivered delivered = both.fetch("shuffle_4_1_0");
        assertEquals(1, delivered.failures.size());
        assertEquals(0, both.serving.registeredBytes.get());
    }
}
