package io.verbena.spark;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.BlockStoreClient;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.checksum.Cause;
import org.jspecify.annotations.Nullable;

/** Fetches blocks for Spark's iterator, which limits the bytes in flight, by RDMA Reads. Everything else is left to Spark's own client. */
final class BlockReader extends BlockStoreClient {

    private final Peers peers;

    BlockReader(Peers peers) {
        this.peers = peers;
    }

    @Override
    public void fetchBlocks(
            String host,
            int port,
            String executor,
            String[] names,
            BlockFetchingListener listener,
            @Nullable DownloadFileManager files) {
        List<Fetch> fetches = Fetch.of(executor, names, listener, Optional.ofNullable(files));
        fetches.forEach(peers::submit);
    }

    /** Keeps no memory for a shuffle that was removed. */
    void remove(int shuffle) {
        peers.remove(shuffle);
    }

    @Override
    public Cause diagnoseCorruption(
            String host,
            int port,
            String executor,
            int shuffle,
            long map,
            int partition,
            long checksum,
            String algorithm) {
        return SparkEnv.get()
                .blockManager()
                .blockStoreClient()
                .diagnoseCorruption(host, port, executor, shuffle, map, partition, checksum, algorithm);
    }

    @Override
    public void close() throws IOException {
        peers.close();
    }
}
