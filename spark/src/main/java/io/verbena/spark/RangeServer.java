package io.verbena.spark;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers requests of peers for ranges of the map outputs of this executor. The bytes are read without it. */
final class RangeServer implements AutoCloseable {

    /** Length of the secret that a peer presents. */
    static final int SECRET_BYTES = 32;

    private static final Logger LOG = LoggerFactory.getLogger(RangeServer.class);
    private static final Duration TURN = Duration.ofSeconds(1);

    /** Bytes of collected blocks that wait to be read. */
    private static final long MOST_COLLECTED = 16 << 20;

    private static final long MOST_COLLECTED_IDLE = 4 << 20;

    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final MapOutputs outputs;
    private final RegionPool places;
    private final byte[] secret;
    private final ShuffleSettings settings;
    private final ShuffleFigures figures;
    private final HeldShuffles held;
    private final Listener listener;
    private final CqHandlerId handler;
    private final Map<CompletionQueue, ServedPeer> peers = new ConcurrentHashMap<>();

    /**
     * Starts to listen.
     *
     * @throws IOException if the address cannot be used
     */
    RangeServer(ShuffleContext context, InetSocketAddress address, byte[] secret, MapOutputs.Location location)
            throws IOException {
        this.rnic = context.rnic();
        this.secret = secret.clone();
        this.settings = context.settings();
        this.figures = context.figures();
        held = context.held();
        domain = rnic.allocateProtectionDomain();
        outputs = new MapOutputs(domain, settings.pool(), location, figures, held);
        places = new RegionPool(
                domain,
                AccessRight.REMOTE_READ,
                new RegionPool.Bounds(MOST_COLLECTED_IDLE, MOST_COLLECTED),
                held,
                figures.idleBytes);
        handler = rnic.setCompletionHandler(this::onCompletion, context.processor());
        listener = rnic.listen(address, ListenOptions.defaults());
        Thread.ofVirtual().name("verbena-shuffle-accept").start(this::accept);
    }

    SocketAddress address() {
        return listener.localAddress();
    }

    MapOutputs outputs() {
        return outputs;
    }

    /** Revokes the keys of a shuffle. After the return no peer reads its outputs, and none is registered again. */
    void remove(int shuffle) {
        boolean last = held.remove(shuffle);
        outputs.remove(shuffle);
        if (last) {
            places.trim();
        }
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

    RegionPool places() {
        return places;
    }

    private void accept() {
        while (!listener.closed()) {
            try {
                listener.nextRequest(TURN).ifPresent(this::accept);
            } catch (Throwable e) { // the next peer is accepted
                LOG.warn("A peer of the shuffle could not be accepted", e);
            }
        }
    }

    private void accept(ConnectionRequest request) {
        // Some transports pad private data.
        if (!MessageDigest.isEqual(Arrays.copyOf(request.privateData(), SECRET_BYTES), secret)) {
            LOG.warn(
                    "A connection from {} without the secret of the application was rejected", request.remoteAddress());
            request.reject("not an executor of this application".getBytes(StandardCharsets.US_ASCII));
            return;
        }
        ServedPeer peer = new ServedPeer(this);
        peers.put(peer.cq(), peer);
        peer.accept(request);
    }

    void ended(ServedPeer peer) {
        peers.remove(peer.cq());
    }

    private void onCompletion(CompletionQueue cq) {
        ServedPeer peer = peers.get(cq);
        if (peer != null) {
            peer.onCompletion();
        }
    }

    /** The answer to a request; a failure is an answer, too. */
    OpenReply answer(OpenRequest request, ServedPeer peer) {
        try {
            return found(request, peer);
        } catch (Throwable e) { // also an InternalError, if a mapped file could not be read
            return OpenReply.failed(request.slot(), "A map output is not available: " + e);
        }
    }

    private OpenReply found(OpenRequest request, ServedPeer peer) throws IOException {
        OpenRequest.Blocks blocks = request.blocks();
        figures.served.incrementAndGet();
        MapOutput[] found = new MapOutput[blocks.count()];
        List<RemoteOutput> remote = new ArrayList<>();
        for (int i = 0; i < found.length; i++) {
            found[i] = outputs.open(request.shuffle(), blocks.maps()[i]);
            if (found[i].offset(blocks.end()[i]) < found[i].offset(blocks.first()[i])) {
                throw new IOException("partitions end at " + blocks.end()[i] + ", before " + blocks.first()[i]);
            }
            remote.add(found[i].remote());
        }
        OpenReply scattered = OpenReply.of(request.slot(), blocks, remote);
        if (scattered.collected(settings.gatheredBytes())) {
            Optional<MemoryRegion> place = places.take(scattered.bytes());
            if (place.isPresent()) {
                figures.gathered.incrementAndGet();
                return collected(request, peer, found, scattered, place.get());
            }
        }
        return withOutputs(scattered, Math.max(0, request.unknown()), remote);
    }

    /** Adds the outputs that the peer does not know, as many as there is space for. */
    private static OpenReply withOutputs(OpenReply reply, int unknown, List<RemoteOutput> all) {
        int space = reply.space();
        int end = unknown;
        while (end < all.size() && RemoteOutput.bytes(all.get(end).offsets()) <= space) {
            space -= RemoteOutput.bytes(all.get(end).offsets());
            end++;
        }
        return end <= unknown ? reply : reply.withOutputs(unknown, all.subList(unknown, end));
    }

    /** Copies the blocks to one place, so that the peer reads them at once. */
    private OpenReply collected(
            OpenRequest request, ServedPeer peer, MapOutput[] found, OpenReply scattered, MemoryRegion place)
            throws IOException {
        long position = 0;
        int number = 0;
        try {
            for (int i = 0; i < found.length; i++) {
                long length = scattered.lengths()[i];
                if (length > 0) {
                    found[i].copy(found[i].offset(request.blocks().first()[i]), length, place.segment(), position);
                    position += length;
                }
            }
            number = peer.collected(place);
        } finally {
            if (number == 0) {
                places.give(place);
            }
        }
        return OpenReply.found(request.slot(), number, scattered.lengths(), List.of(place.remote(0, position)));
    }

    @Override
    public void close() {
        listener.close();
        List.copyOf(peers.values()).forEach(ServedPeer::close);
        outputs.close();
        places.close();
    }
}
