package io.verbena.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.BlockFetchingListener;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Blocks of one shuffle on one executor, which a reducer waits for. They are requested together. */
final class Fetch {

    private static final Logger LOG = LoggerFactory.getLogger(Fetch.class);

    private final String executor;
    private final int shuffle;
    private final List<BlockName> parsed;
    private final OpenRequest.Blocks blocks;
    private final BlockFetchingListener listener;
    private final Optional<DownloadFileManager> files;
    private int attempts;

    /** Makes the fetches for blocks of an executor, each with at most as many as a request can name. */
    static List<Fetch> of(
            String executor, String[] names, BlockFetchingListener listener, Optional<DownloadFileManager> files) {
        List<BlockName> parsed = new ArrayList<>();
        for (String name : names) {
            parsed.add(BlockName.of(name));
        }
        List<Fetch> all = new ArrayList<>();
        int start = 0;
        for (int i = 1; i <= names.length; i++) {
            boolean full = i - start == OpenRequest.MOST_BLOCKS;
            if (full
                    || i == names.length
                    || parsed.get(i).shuffle() != parsed.get(start).shuffle()) {
                all.add(new Fetch(executor, parsed.subList(start, i), listener, files));
                start = i;
            }
        }
        return all;
    }

    /** The blocks from this one on, which were attempted as often. */
    Fetch from(int first) {
        if (first == 0) {
            return this;
        }
        Fetch rest = new Fetch(executor, parsed.subList(first, parsed.size()), listener, files);
        rest.attempts = attempts;
        return rest;
    }

    private Fetch(
            String executor,
            List<BlockName> parsed,
            BlockFetchingListener listener,
            Optional<DownloadFileManager> files) {
        this.executor = executor;
        this.parsed = List.copyOf(parsed);
        this.listener = listener;
        this.files = files;
        shuffle = parsed.getFirst().shuffle();
        blocks = new OpenRequest.Blocks(
                parsed.stream().mapToLong(BlockName::map).toArray(),
                parsed.stream().mapToInt(BlockName::first).toArray(),
                parsed.stream().mapToInt(BlockName::end).toArray());
    }

    String executor() {
        return executor;
    }

    int shuffle() {
        return shuffle;
    }

    OpenRequest.Blocks blocks() {
        return blocks;
    }

    /** Creates files for blocks that are too large for memory; empty if these blocks are read into memory. */
    Optional<DownloadFileManager> files() {
        return files;
    }

    /** Counts an attempt that a connection has ended. */
    int failedOnce() {
        return ++attempts;
    }

    int attempts() {
        return attempts;
    }

    /** Delivers all blocks, and releases the caller's reference to each. */
    void succeeded(List<? extends ManagedBuffer> buffers) {
        delivered(0, buffers);
    }

    /** Delivers some of the blocks, from this one on, likewise. */
    void delivered(int first, List<? extends ManagedBuffer> buffers) {
        for (int i = 0; i < buffers.size(); i++) {
            ManagedBuffer buffer = buffers.get(i);
            String name = parsed.get(first + i).name();
            try {
                listener.onBlockFetchSuccess(name, buffer);
            } catch (Throwable e) { // of Spark, in a thread of the RNIC
                LOG.error("Block {} could not be delivered", name, e);
            } finally {
                buffer.release();
            }
        }
    }

    /** Reports that the blocks cannot be read: the task fails, and Spark repeats the stage if map outputs are lost. */
    void failed(Throwable cause) {
        IOException failure = new IOException(
                "Blocks of shuffle " + shuffle + " could not be read from executor " + executor + ": "
                        + cause.getMessage(),
                cause);
        for (BlockName block : parsed) {
            try {
                listener.onBlockFetchFailure(block.name(), failure);
            } catch (Throwable e) { // of Spark, in a thread of the RNIC
                LOG.error("The failure of block {} could not be delivered", block.name(), e);
            }
        }
    }
}
