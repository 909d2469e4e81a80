package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.host.Until;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An executor that serves map outputs and one that reads them, without Spark. */
class RangesTest {

    private static final byte[] SECRET = new byte[RangeServer.SECRET_BYTES];
    private static final int SHUFFLE = 4;
    private static final String EXECUTOR = "1";

    static {
        Arrays.fill(SECRET, (byte) 7);
    }

    @TempDir
    private Path directory;

    private final ShuffleSettings settings =
            ShuffleSettings.of(new SparkConf(false).set("spark.verbena.attempts", "2"));
    private final ShuffleFigures serving = new ShuffleFigures();
    private final ShuffleFigures reading = new ShuffleFigures();
    private final HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.virtualThreads("ranges"));
    private final Rnic serverRnic = Rnic.open(RnicOptions.defaults().withProvider("auto"));
    private final Rnic clientRnic = Rnic.open(RnicOptions.defaults().withProvider("auto"));
    private RangeServer server;
    private Peers peers;

    @BeforeEach
    void open() throws IOException {
        server = server();
        peers = peers(SECRET);
    }

    @AfterEach
    void close() {
        peers.close();
        server.close();
        clientRnic.close();
        serverRnic.close();
        processor.close();
    }

    private RangeServer server() throws IOException {
        MapOutputs.Location location = new MapOutputs.Location() {
            @Override
            public Path data(int shuffle, long map) {
                return directory.resolve(shuffle + "_" + map + ".data");
            }

            @Override
            public Path index(int shuffle, long map) {
                return directory.resolve(shuffle + "_" + map + ".index");
            }
        };
        return new RangeServer(
                new ShuffleContext(serverRnic, processor, settings, serving),
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                SECRET,
                location);
    }

    private Peers peers(byte[] secret) {
        return new Peers(new ShuffleContext(clientRnic, processor, settings, reading), _ -> server.address(), secret);
    }

    /** Writes an output as Spark does. */
    private byte[] output(long map, int... lengths) throws IOException {
        byte[] data = new byte[Arrays.stream(lengths).sum()];
        new Random(map).nextBytes(data);
        Files.write(directory.resolve(SHUFFLE + "_" + map + ".data"), data);
        index(map, Arrays.stream(lengths).asLongStream().toArray());
        return data;
    }

    private void index(long map, long... lengths) throws IOException {
        try (DataOutputStream index =
                new DataOutputStream(Files.newOutputStream(directory.resolve(SHUFFLE + "_" + map + ".index")))) {
            long offset = 0;
            index.writeLong(0);
            for (long length : lengths) {
                offset += length;
                index.writeLong(offset);
            }
        }
    }

    /** What a fetch has delivered; failures by name. */
    private static final class Delivered implements BlockFetchingListener {
        private final Map<String, ManagedBuffer> blocks = new ConcurrentHashMap<>();
        private final Map<String, String> failures = new ConcurrentHashMap<>();
        private final CountDownLatch left;

        private Delivered(int count) {
            left = new CountDownLatch(count);
        }

        @Override
        public void onBlockFetchSuccess(String name, ManagedBuffer buffer) {
            blocks.put(name, buffer.retain());
            left.countDown();
        }

        @Override
        public void onBlockFetchFailure(String name, Throwable failure) {
            failures.put(name, String.valueOf(failure.getMessage()));
            left.countDown();
        }

        private byte[] bytes(String name) throws IOException {
            try (var stream = Objects.requireNonNull(blocks.get(name)).createInputStream()) {
                return stream.readAllBytes();
            }
        }

        private String failure(String name) {
            return failures.getOrDefault(name, "");
        }

        private void release() {
            blocks.values().forEach(ManagedBuffer::release);
        }
    }

    private Delivered fetch(String... names) throws InterruptedException {
        Delivered delivered = new Delivered(names.length);
        Fetch.of(EXECUTOR, names, delivered, Optional.empty()).forEach(peers::submit);
        assertTrue(delivered.left.await(30, TimeUnit.SECONDS), "not all blocks were delivered");
        return delivered;
    }

    @Test
    void blocksOfMappedOutputs_areReadAndTheMemoryIsGivenBack() throws Exception {
        byte[] one = output(1, 100_000, 0, 50_000);
        byte[] two = output(2, 1, 200_000);
        Delivered delivered = fetch("shuffle_4_1_0", "shuffle_4_1_2", "shuffle_4_2_0_2", "shuffle_4_1_1");
        assertArrayEquals(Arrays.copyOf(one, 100_000), delivered.bytes("shuffle_4_1_0"));
        assertArrayEquals(Arrays.copyOfRange(one, 100_000, 150_000), delivered.bytes("shuffle_4_1_2"));
        assertArrayEquals(two, delivered.bytes("shuffle_4_2_0_2"));
        assertEquals(0, delivered.bytes("shuffle_4_1_1").length);
        // Partitions 0 and 2 of task 1 follow each other in the file.
        assertEquals(2, reading.reads.get());
        assertEquals(1, reading.doorbells.get());
        assertTrue(peers.buffers().takenBytes() > 0);
        delivered.release();
        // The handler delivers one after the other: it has released the blocks before.
        fetch("shuffle_4_1_1");
        assertEquals(0, peers.buffers().takenBytes());
    }

    @Test
    void tinyBlocksOfManyMaps_areReadByFewReads() throws Exception {
        int maps = 1_000;
        List<String> names = new ArrayList<>();
        List<byte[]> expected = new ArrayList<>();
        for (int map = 0; map < maps; map++) {
            byte[] data = output(map, 100, 100, 100);
            names.add("shuffle_4_" + map + "_1");
            expected.add(Arrays.copyOfRange(data, 100, 200));
        }
        Delivered delivered = fetch(names.toArray(String[]::new));
        for (int map = 0; map < maps; map++) {
            assertArrayEquals(expected.get(map), delivered.bytes(names.get(map)));
        }
        delivered.release();
        assertTrue(reading.reads.get() <= maps / 64, () -> reading.reads + " Reads for " + maps + " outputs");
        assertTrue(serving.registeredRegions.get() <= 4, () -> serving.registeredRegions + " regions");
        server.remove(SHUFFLE);
        assertEquals(0, serving.registeredBytes.get());
    }

    @Test
    void memoryThatIsNotInUse_isBoundedAndZeroAfterTheLastShuffleWasRemoved() throws Exception {
        for (int map = 0; map < 600; map++) {
            output(map, 1_000, 1_000);
        }
        output(1_000, 3 << 20, 3 << 20);
        for (int round = 0; round < 3; round++) {
            String[] small = IntStream.range(0, 600)
                    .mapToObj(map -> "shuffle_4_" + map + "_0")
                    .toArray(String[]::new);
            fetch(small).release();
            fetch("shuffle_4_1000_0").release();
        }
        fetch("shuffle_4_1_0").release(); // the fetches before it have given their memory back
        assertTrue(reading.idleBytes.get() > 0);
        assertTrue(reading.idleBytes.get() <= settings.idleBytes());
        Delivered inUse = fetch("shuffle_4_1000_1");
        server.remove(SHUFFLE);
        peers.remove(SHUFFLE);
        inUse.release();
        Until.holds("the blocks are closed", () -> peers.buffers().takenBytes() == 0);
        assertEquals(0, reading.idleBytes.get());
        Until.holds(
                "the places of collected blocks are closed",
                () -> server.places().takenBytes() == 0);
        assertEquals(0, serving.idleBytes.get());
        assertEquals(0, serving.registeredBytes.get());
    }

    @Test
    void shuffleThatIsRead_keepsMemoryUntilItIsRemoved() throws Exception {
        output(1, 100_000);
        fetch("shuffle_4_1_0").release();
        Until.holds("the block was given back", () -> reading.idleBytes.get() > 0);
        peers.remove(SHUFFLE + 1);
        assertTrue(reading.idleBytes.get() > 0);
        peers.remove(SHUFFLE);
        assertEquals(0, reading.idleBytes.get());
        // A late fetch of a shuffle that was removed keeps nothing.
        fetch("shuffle_4_1_0").release();
        Until.holds("the block is closed", () -> peers.buffers().takenBytes() == 0);
        assertEquals(0, reading.idleBytes.get());
    }

    @Test
    void removedShuffle_hasNoRegisteredBytesAndItsFetchFails() throws Exception {
        output(1, 100_000);
        fetch("shuffle_4_1_0").release();
        assertEquals(100_000, serving.registeredBytes.get());
        server.remove(SHUFFLE);
        assertEquals(0, serving.registeredBytes.get());
        assertEquals(0, serving.registeredRegions.get());
        Delivered delivered = fetch("shuffle_4_1_0");
        assertTrue(delivered.failure("shuffle_4_1_0").contains("shuffle 4 was removed"), delivered.failures::toString);
        assertEquals(0, serving.registeredBytes.get());
    }

    @Test
    void keyThatWasRevoked_endsTheConnectionAndOtherFetchesBeginAgain() throws Exception {
        byte[] data = output(1, 100_000);
        MapOutput output = server.outputs().open(SHUFFLE, 1);
        fetch("shuffle_4_1_0").release();
        output.region().orElseThrow().renewKey(); // answers name the new one
        Delivered delivered = fetch("shuffle_4_1_0");
        assertArrayEquals(data, delivered.bytes("shuffle_4_1_0"));
        delivered.release();
    }

    @Test
    void outputThatDoesNotExist_failsItsFetchOnly() throws Exception {
        output(1, 10_000);
        Delivered delivered = fetch("shuffle_4_9_0");
        assertTrue(delivered.failures.containsKey("shuffle_4_9_0"));
        fetch("shuffle_4_1_0").release();
        assertEquals(0, reading.repeated.get());
    }

    @Test
    void outputThatIsShorterThanItsIndex_fails() throws Exception {
        output(1, 10_000);
        index(1, 20_000);
        Delivered delivered = fetch("shuffle_4_1_0");
        assertTrue(
                delivered.failure("shuffle_4_1_0").contains("has 10000 bytes, and its index says 20000"),
                delivered.failures::toString);
        Delivered beyond = fetch("shuffle_4_1_7");
        assertEquals(1, beyond.failures.size());
    }

    @Test
    void rangesBeyond2GiB_areRead() throws Exception {
        long before = 3L << 30;
        byte[] last = new byte[70_000];
        new Random(1).nextBytes(last);
        try (RandomAccessFile file =
                new RandomAccessFile(directory.resolve("4_1.data").toFile(), "rw")) {
            file.seek(before);
            file.write(last);
        }
        index(1, before, last.length);
        Delivered delivered = fetch("shuffle_4_1_1");
        assertArrayEquals(last, delivered.bytes("shuffle_4_1_1"));
        delivered.release();
        Delivered tooLarge = fetch("shuffle_4_1_0");
        assertTrue(
                tooLarge.failure("shuffle_4_1_0").contains("maxRemoteBlockSizeFetchToMem"),
                tooLarge.failures::toString);
    }

    @Test
    void connectionThatEnds_isReplaced() throws Exception {
        byte[] data = output(1, 100_000);
        fetch("shuffle_4_1_0").release();
        server.close();
        server = server();
        Delivered delivered = fetch("shuffle_4_1_0");
        assertArrayEquals(data, delivered.bytes("shuffle_4_1_0"));
        delivered.release();
    }

    @Test
    void serverThatIsGone_failsTheFetch() throws Exception {
        output(1, 100_000);
        server.close();
        Delivered delivered = fetch("shuffle_4_1_0");
        assertTrue(delivered.failure("shuffle_4_1_0").contains("executor 1"), delivered.failures::toString);
        assertEquals(1, reading.repeated.get());
    }

    @Test
    void peerWithoutTheSecret_isRejected() throws Exception {
        output(1, 100_000);
        peers.close();
        peers = peers(new byte[RangeServer.SECRET_BYTES]);
        Delivered delivered = fetch("shuffle_4_1_0");
        assertEquals(1, delivered.failures.size());
        assertEquals(0, serving.registeredBytes.get());
    }
}
