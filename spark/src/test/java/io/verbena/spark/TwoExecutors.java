package io.verbena.spark;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Rnic;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.spark.SparkConf;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;

/** An executor that serves map outputs of a directory and one that reads them, without Spark. */
final class TwoExecutors implements AutoCloseable {

    static final int SHUFFLE = 4;
    static final String EXECUTOR = "1";
    private static final byte[] SECRET = new byte[RangeServer.SECRET_BYTES];

    static {
        Arrays.fill(SECRET, (byte) 7);
    }

    private final SparkConf conf = new SparkConf(false).set("spark.verbena.attempts", "2");
    final ShuffleSettings settings;
    final ShuffleFigures serving = new ShuffleFigures();
    final ShuffleFigures reading = new ShuffleFigures();
    final Rnic clientRnic;
    private final HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.virtualThreads("ranges"));
    private final HandlerProcessor serverProcessor;
    private final Rnic serverRnic;
    private final Set<Long> serverThreads;
    private final Path directory;
    private RangeServer server;
    private Peers peers;

    TwoExecutors(Path directory) throws IOException {
        this(directory, Map.of());
    }

    /** With settings of Spark. */
    TwoExecutors(Path directory, Map<String, String> more) throws IOException {
        this.directory = directory;
        more.forEach(conf::set);
        settings = ShuffleSettings.of(conf);
        clientRnic = Rnic.open(settings.rnic());
        Set<Long> before = threads();
        serverProcessor = HandlerProcessor.open(ProcessorOptions.thread("serving"));
        serverRnic = Rnic.open(settings.rnic());
        serverThreads = threads();
        serverThreads.removeAll(before);
        server = newServer();
        peers = newPeers(SECRET);
    }

    RangeServer server() {
        return server;
    }

    Peers peers() {
        return peers;
    }

    static byte[] secret() {
        return SECRET.clone();
    }

    /** The server is not there any more. */
    void stopServer() {
        server.close();
    }

    /** It is there again, at another address. */
    void startServer() throws IOException {
        server = newServer();
    }

    /** The one that reads presents another secret. */
    void present(byte[] secret) {
        peers.close();
        peers = newPeers(secret);
    }

    @Override
    public void close() {
        peers.close();
        server.close();
        clientRnic.close();
        serverRnic.close();
        processor.close();
        serverProcessor.close();
    }

    private static Set<Long> threads() {
        return Arrays.stream(ManagementFactory.getThreadMXBean().getAllThreadIds())
                .boxed()
                .collect(Collectors.toSet());
    }

    /** The threads of the RNIC that serves, and the one of its handlers. */
    Set<Long> serverThreads() {
        return serverThreads;
    }

    private RangeServer newServer() throws IOException {
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
                ShuffleContext.of(conf, serverRnic, serverProcessor, serving),
                settings.rnic().provider().equals("roce")
                        ? new InetSocketAddress(0)
                        : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                SECRET,
                location);
    }

    private Peers newPeers(byte[] secret) {
        return new Peers(ShuffleContext.of(conf, clientRnic, processor, reading), _ -> server.address(), secret);
    }

    /** The data of an output. */
    Path data(long map) {
        return directory.resolve(SHUFFLE + "_" + map + ".data");
    }

    /** An output has the same files as another one of {@link #SHUFFLE}. */
    void link(int shuffle, long map, long other) throws IOException {
        for (String end : List.of(".data", ".index")) {
            Files.createLink(
                    directory.resolve(shuffle + "_" + map + end), directory.resolve(SHUFFLE + "_" + other + end));
        }
    }

    /** Writes an output as Spark does. */
    byte[] output(long map, int... lengths) throws IOException {
        byte[] data = new byte[Arrays.stream(lengths).sum()];
        new Random(map).nextBytes(data);
        Files.write(data(map), data);
        index(map, Arrays.stream(lengths).asLongStream().toArray());
        return data;
    }

    void index(long map, long... lengths) throws IOException {
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
    static final class Delivered implements BlockFetchingListener {
        private final Map<String, ManagedBuffer> blocks = new ConcurrentHashMap<>();
        final Map<String, String> failures = new ConcurrentHashMap<>();
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

        byte[] bytes(String name) throws IOException {
            try (var stream = Objects.requireNonNull(blocks.get(name)).createInputStream()) {
                return stream.readAllBytes();
            }
        }

        String failure(String name) {
            return failures.getOrDefault(name, "");
        }

        void release() {
            blocks.values().forEach(ManagedBuffer::release);
        }
    }

    Delivered fetch(String... names) throws InterruptedException {
        return fetch(Optional.empty(), names);
    }

    /** Fetches blocks, into files if these are created, and waits until each is delivered or has failed. */
    Delivered fetch(Optional<DownloadFileManager> files, String... names) throws InterruptedException {
        Delivered delivered = new Delivered(names.length);
        Fetch.of(EXECUTOR, names, delivered, files).forEach(peers::submit);
        assertTrue(delivered.left.await(30, TimeUnit.SECONDS), "not all blocks were delivered");
        return delivered;
    }
}
