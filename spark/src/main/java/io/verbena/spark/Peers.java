package io.verbena.spark;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.TransportType;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.network.util.TransportConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The executors whose map outputs this one reads: one connection for each, made for the first fetch. */
final class Peers implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final CqHandlerId handler;
    private final Directory directory;
    private final byte[] secret;
    private final int mostAttempts;
    private final int gatheredBytes;
    private final ShuffleFigures figures;
    private final HeldShuffles held;
    private final RegionPool buffers;
    private final TransportConf files;
    private final Map<CompletionQueue, PeerChannel> byQueue = new ConcurrentHashMap<>();

    // Guarded by this.
    private final Map<String, PeerChannel> channels = new HashMap<>();
    private boolean closed;

    /** Knows where executors listen. */
    interface Directory {

        /**
         * The address of an executor. May wait.
         *
         * @throws IOException if it is not known
         */
        SocketAddress find(String executor) throws IOException;
    }

    Peers(ShuffleContext context, Directory directory, byte[] secret) {
        rnic = context.rnic();
        this.directory = directory;
        this.secret = secret.clone();
        figures = context.figures();
        held = context.held();
        files = context.files();
        mostAttempts = context.settings().attempts();
        gatheredBytes = context.settings().gatheredBytes();
        domain = rnic.allocateProtectionDomain();
        handler = rnic.setCompletionHandler(this::onCompletion, context.processor());
        // What is in use is bounded by the iterator that sends the requests.
        buffers = new RegionPool(
                domain,
                AccessRight.LOCAL_WRITE,
                new RegionPool.Bounds(context.settings().idleBytes(), Long.MAX_VALUE >> 1),
                held,
                figures.idleBytes);
    }

    Rnic rnic() {
        return rnic;
    }

    ProtectionDomain domain() {
        return domain;
    }

    CqHandlerId handler() {
        return handler;
    }

    RegionPool buffers() {
        return buffers;
    }

    /** How Spark reads files of blocks. */
    TransportConf files() {
        return files;
    }

    ShuffleFigures figures() {
        return figures;
    }

    /** Mean length up to which executors collect blocks. */
    int gatheredBytes() {
        return gatheredBytes;
    }

    Directory directory() {
        return directory;
    }

    byte[] secret() {
        return secret.clone();
    }

    /** Begins a fetch and returns at once. */
    void submit(Fetch fetch) {
        held.hold(fetch.shuffle());
        while (true) {
            PeerChannel channel;
            synchronized (this) {
                if (closed) {
                    channel = null;
                } else {
                    channel = channels.get(fetch.executor());
                    if (channel == null) {
                        channel = new PeerChannel(this, fetch.executor());
                        channels.put(fetch.executor(), channel);
                        channel.start(fetch.attempts());
                    }
                }
            }
            if (channel == null) {
                fetch.failed(new IOException("this executor is stopping"));
                return;
            }
            if (channel.submit(fetch)) {
                return;
            }
            ended(channel);
        }
    }

    /** Begins a fetch again whose connection has ended, or fails it. */
    void again(Fetch fetch, Throwable cause) {
        if (fetch.failedOnce() >= mostAttempts) {
            fetch.failed(cause);
        } else {
            figures.repeated.incrementAndGet();
            submit(fetch);
        }
    }

    /** Keeps no memory for a shuffle that was removed. */
    void remove(int shuffle) {
        List<PeerChannel> all;
        synchronized (this) {
            all = List.copyOf(channels.values());
        }
        all.forEach(channel -> channel.remove(shuffle));
        if (held.remove(shuffle)) {
            buffers.trim();
        }
    }

    void opened(CompletionQueue cq, PeerChannel channel) {
        byQueue.put(cq, channel);
    }

    void closed(CompletionQueue cq) {
        byQueue.remove(cq);
    }

    synchronized void ended(PeerChannel channel) {
        channels.remove(channel.executor(), channel);
    }

    /** Tells the user once what carries the Reads. */
    void established(String executor, TransportType transport) {
        if (figures.connected(transport).getAndIncrement() == 0) {
            LOG.info("Shuffle blocks of executor {} are read by RDMA Reads over {}", executor, transport);
        }
    }

    private void onCompletion(CompletionQueue cq) {
        PeerChannel channel = byQueue.get(cq);
        if (channel != null) {
            channel.onCompletion();
        }
    }

    @Override
    public void close() {
        List<PeerChannel> left;
        synchronized (this) {
            closed = true;
            left = List.copyOf(channels.values());
        }
        left.forEach(channel -> channel.end(new IOException("this executor is stopping")));
        buffers.close();
    }
}
