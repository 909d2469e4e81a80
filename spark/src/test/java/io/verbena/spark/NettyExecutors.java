package io.verbena.spark;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.buffer.FileSegmentManagedBuffer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.client.ChunkReceivedCallback;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.netty.SparkTransportConf;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.util.TransportConf;
import scala.Option;

/**
 * Two sides of Spark's own transport of blocks: one serves segments of files, the other one fetches them as chunks of a
 * stream.
 */
final class NettyExecutors implements AutoCloseable {

    private static final int PATIENCE_MS = 30_000;

    private final TransportConf conf =
            SparkTransportConf.fromSparkConf(new SparkConf(false), "shuffle", 1, Option.empty(), Option.empty());
    private final int outputs;
    private final TransportContext context;
    private final TransportServer server;
    private final TransportClient client;

    NettyExecutors(Path directory, int outputs, int blockBytes) throws IOException, InterruptedException {
        this.outputs = outputs;
        for (int map = 0; map < outputs; map++) {
            Files.write(directory.resolve("netty" + map), new byte[8 * blockBytes]);
        }
        context = new TransportContext(conf, new Serving(map -> directory.resolve("netty" + map), outputs, blockBytes));
        server = context.createServer("127.0.0.1", 0, List.of());
        client = context.createClientFactory().createClient("127.0.0.1", server.getPort());
    }

    /** Where the output of a map task is. */
    private interface Location {
        Path of(int map);
    }

    /** Opens a stream with the blocks of a partition, as a request for blocks does. */
    private final class Serving extends RpcHandler {
        private final OneForOneStreamManager streams = new OneForOneStreamManager();
        private final Location location;
        private final int maps;
        private final int blockBytes;

        private Serving(Location location, int maps, int blockBytes) {
            this.location = location;
            this.maps = maps;
            this.blockBytes = blockBytes;
        }

        @Override
        public void receive(TransportClient from, ByteBuffer message, RpcResponseCallback answer) {
            long offset = (long) message.getInt() * blockBytes;
            List<ManagedBuffer> blocks = new ArrayList<>();
            for (int map = 0; map < maps; map++) {
                blocks.add(new FileSegmentManagedBuffer(conf, location.of(map).toFile(), offset, blockBytes));
            }
            long stream = streams.registerStream("app", blocks.iterator(), from.getChannel());
            answer.onSuccess(ByteBuffer.allocate(Long.BYTES).putLong(stream).flip());
        }

        @Override
        public StreamManager getStreamManager() {
            return streams;
        }
    }

    /** The blocks of a partition. */
    final class Chunks implements ChunkReceivedCallback {
        private final long stream;
        private final CountDownLatch left = new CountDownLatch(outputs);
        private final AtomicReference<String> failure = new AtomicReference<>("");

        private Chunks(long stream) {
            this.stream = stream;
        }

        /** Waits until all have arrived. */
        void fetchAll() throws InterruptedException {
            IntStream.range(0, outputs).forEach(each -> client.fetchChunk(stream, each, this));
            if (!left.await(PATIENCE_MS, TimeUnit.MILLISECONDS)
                    || !failure.get().isEmpty()) {
                throw new AssertionError("not all chunks have arrived: " + failure);
            }
        }

        @Override
        public void onSuccess(int chunk, ManagedBuffer buffer) {
            left.countDown();
        }

        @Override
        public void onFailure(int chunk, Throwable reason) {
            failure.set(String.valueOf(reason));
            left.countDown();
        }
    }

    Chunks open(int partition) {
        ByteBuffer request =
                ByteBuffer.allocate(Integer.BYTES).putInt(partition).flip();
        return new Chunks(client.sendRpcSync(request, PATIENCE_MS).getLong());
    }

    /** The event loops of the server. */
    List<Long> serverThreads() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        List<Long> own = new ArrayList<>();
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (each != null && each.getThreadName().startsWith("shuffle-server")) {
                own.add(each.getThreadId());
            }
        }
        return own;
    }

    @Override
    public void close() {
        client.close();
        server.close();
        context.close();
    }
}
