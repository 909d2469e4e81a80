package io.verbena.spark;

import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.RemoteRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.IntConsumer;
import org.apache.spark.network.buffer.ManagedBuffer;
import org.apache.spark.network.shuffle.DownloadFile;
import org.apache.spark.network.shuffle.DownloadFileManager;
import org.apache.spark.network.shuffle.DownloadFileWritableChannel;

/** Reads blocks that are too large for memory into files, in pieces, in a thread of its own. */
final class FileFetch {

    private static final int PIECE_BYTES = 4 << 20;

    private final Fetch fetch;
    private final OpenReply reply;
    private final Peers peers;
    private final Reader reader;
    private final IntConsumer release;

    // The next byte: a range, and the offset in it.
    private int run;
    private long position;

    /** Posts Reads. */
    interface Reader {

        void read(Reading reading, List<RemoteRegion> ranges);
    }

    FileFetch(Fetch fetch, OpenReply reply, Peers peers, Reader reader, IntConsumer release) {
        this.fetch = fetch;
        this.reply = reply;
        this.peers = peers;
        this.reader = reader;
        this.release = release;
    }

    void start() {
        Thread.ofVirtual().name("verbena-shuffle-file").start(this::run);
    }

    private void run() {
        List<DownloadFile> files = new ArrayList<>();
        try {
            fetch.succeeded(blocks(files));
            DownloadFileManager manager = fetch.files().orElseThrow();
            files.stream()
                    .filter(each -> !manager.registerTempFileToClean(each))
                    .forEach(DownloadFile::delete);
        } catch (ExecutionException e) {
            files.forEach(DownloadFile::delete);
            peers.again(fetch, e.getCause() == null ? e : e.getCause());
        } catch (Throwable e) { // an iterator of Spark must learn that its blocks do not come
            files.forEach(DownloadFile::delete);
            fetch.failed(e);
        }
    }

    private List<ManagedBuffer> blocks(List<DownloadFile> files)
            throws IOException, InterruptedException, ExecutionException {
        try {
            List<ManagedBuffer> blocks = new ArrayList<>();
            for (long length : reply.lengths()) {
                blocks.add(block(length, files));
            }
            return blocks;
        } finally {
            release.accept(reply.place()); // also if the disk is full
        }
    }

    private ManagedBuffer block(long length, List<DownloadFile> files)
            throws IOException, InterruptedException, ExecutionException {
        DownloadFile file = fetch.files().orElseThrow().createTempFile(peers.files());
        files.add(file);
        try (DownloadFileWritableChannel to = file.openForWriting()) {
            long left = length;
            while (left > 0) {
                RemoteRegion range = reply.runs().get(run);
                long count = Math.min(Math.min(left, PIECE_BYTES), range.length() - position);
                piece(range.slice(position, count), to);
                left -= count;
                position += count;
                if (position == range.length()) {
                    run++;
                    position = 0;
                }
            }
            return to.closeAndRead();
        }
    }

    private void piece(RemoteRegion from, DownloadFileWritableChannel to)
            throws IOException, InterruptedException, ExecutionException {
        MemoryRegion region = peers.buffers()
                .take(from.length())
                .orElseThrow(() -> new IOException("there is no memory for a piece of a block"));
        try {
            CompletableFuture<Boolean> done = new CompletableFuture<>();
            reader.read(
                    new Reading(
                            region,
                            failure -> failure.ifPresentOrElse(done::completeExceptionally, () -> done.complete(true))),
                    List.of(from));
            done.get();
            ByteBuffer bytes = region.segment().asSlice(0, from.length()).asByteBuffer();
            while (bytes.hasRemaining()) {
                to.write(bytes);
            }
        } finally {
            peers.buffers().give(region);
        }
    }
}
