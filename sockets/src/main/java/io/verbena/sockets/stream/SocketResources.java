package io.verbena.sockets.stream;

import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import java.util.Optional;

/** What one socket has of the RNIC: a domain of its own, so that a peer reaches the memory of its connection only, and in it the rest. */
final class SocketResources {

    private static final int INLINE_BYTES = 16;

    private final StreamNetwork network;
    private final CompletionLane lane;
    private final ProtectionDomain domain;
    private final SocketMemory memory;
    private final SocketQueuePair queues;

    private SocketResources(
            StreamNetwork network,
            CompletionLane lane,
            ProtectionDomain domain,
            SocketMemory memory,
            SocketQueuePair queues) {
        this.network = network;
        this.lane = lane;
        this.domain = domain;
        this.memory = memory;
        this.queues = queues;
    }

    /** Everything. The completions belong to {@code socket}. */
    static SocketResources open(StreamNetwork network, CompletionLane lane, StreamSocket socket) {
        ProtectionDomain domain = network.rnic().allocateProtectionDomain();
        Optional<SocketMemory> memory = Optional.empty();
        boolean opened = false;
        try {
            memory =
                    Optional.of(new SocketMemory(domain, network.budget(), network::background, StreamSocket.RECEIVES));
            QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(lane.queue()).toBuilder()
                    .depths(StreamSocket.SEND_SLOTS, StreamSocket.RECEIVES)
                    .elements(1, 1)
                    .maxInlineBytes(INLINE_BYTES)
                    .reads(1, 1)
                    .context(socket)
                    .build());
            SocketQueuePair queues = new SocketQueuePair(queuePair, memory.get());
            opened = true;
            return new SocketResources(network, lane, domain, memory.get(), queues);
        } finally {
            if (!opened) {
                memory.ifPresent(SocketMemory::close);
                domain.close();
            }
        }
    }

    SocketMemory memory() {
        return memory;
    }

    SocketQueuePair queues() {
        return queues;
    }

    /** Ends the connection if it has not ended, and with it all access to the memory. */
    void disconnect() {
        queues.queuePair().close();
    }

    /** Frees the memory and the domain, after {@link #disconnect}. */
    void free() {
        memory.close();
        domain.close();
        network.leave(lane);
    }
}
