package io.verbena.rnic;

import static io.verbena.verbs.WorkOpcode.COMPARE_AND_SWAP;

import io.verbena.engine.RnicEngine;
import io.verbena.objects.PostingRules;
import io.verbena.objects.Template;
import io.verbena.queue.WorkQueue;
import io.verbena.queue.WorkQueues;
import io.verbena.queue.Wqe;
import io.verbena.rnic.completion.CqSide;
import io.verbena.rnic.context.NumberedQueuePair;
import io.verbena.rnic.context.RnicContext;
import io.verbena.rnic.datagram.SoftDatagramDomain;
import io.verbena.rnic.datagram.SoftEndToEndContext;
import io.verbena.rnic.memory.DomainObjects;
import io.verbena.rnic.memory.KeyHolder;
import io.verbena.rnic.memory.SoftMemoryRegion;
import io.verbena.rnic.memory.SoftMemoryWindow;
import io.verbena.verbs.ByteSource;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair as seen by the application: accepts work and rings the doorbell. The {@link QueuePairEndpoint} created
 * by the transport implements what the engine does with the work.
 *
 * <p>Over 500 lines: the interface of a queue pair has 40 methods.
 */
public final class SoftQueuePair implements NumberedQueuePair, KeyHolder {

    private final RnicContext context;
    private final DomainObjects domain;
    private final RnicEngine engine;
    private final int number;
    private final QueuePairOptions options;
    private final QueuePairQueues queues;
    private final Optional<SoftSharedReceiveQueue> shared;
    private final WorkQueue sendQueue;
    private final WorkQueue receiveQueue;
    private final WorkQueues engineQueues;

    /** Set once, before the queue pair is visible to other objects. */
    private @Nullable QueuePairEndpoint endpoint;

    private final Wqe sendWqe = new Wqe();
    private final Wqe receiveWqe = new Wqe();
    private final PosterMark poster = new PosterMark();
    private final boolean inline;

    /** Whether each request names its destination. */
    private final boolean datagrams;

    private boolean batching;

    /** For writes of buffers to memory of the peer; made when it is needed. */
    private @Nullable BufferSource bufferSource;

    SoftQueuePair(
            DomainObjects domain, RnicEngine engine, int number, QueuePairOptions options, QueuePairQueues queues) {
        this.context = domain.context();
        this.domain = domain;
        this.engine = engine;
        this.number = number;
        this.options = options;
        this.queues = queues;
        shared = queues.shared;
        sendQueue = queues.send;
        receiveQueue = queues.receive;
        engineQueues = queues.forEngine(number);
        inline = context.environment().inline();
        datagrams = PostingRules.datagram(options.service());
    }

    /** Sets the endpoint that the transport has created. */
    void endpoint(QueuePairEndpoint queuePairEndpoint) {
        endpoint = queuePairEndpoint;
    }

    /**
     * The queue pair as an object of this RNIC.
     *
     * @throws IllegalArgumentException if it belongs to another RNIC
     */
    public static SoftQueuePair of(QueuePair queuePair, RnicContext context) {
        if (queuePair instanceof SoftQueuePair soft && soft.context == context) {
            return soft;
        }
        throw new IllegalArgumentException("the queue pair was not created by this RNIC");
    }

    /** The endpoint that implements the protocol. */
    @Override
    public QueuePairEndpoint endpoint() {
        return Objects.requireNonNull(endpoint);
    }

    WorkQueues queues() {
        return engineQueues;
    }

    CqSide sendSide() {
        return queues.sendSide;
    }

    CqSide receiveSide() {
        return queues.receiveSide;
    }

    /** Number of the protection domain, which is also part of regions and keys. */
    public int protectionNumber() {
        return domain.number();
    }

    /** Reports the regions of the protection domain whose memory has been lost. Called after a failure. */
    public void findLoss() {
        domain.findLoss();
    }

    /**
     * Fails if the queue pair is closed.
     *
     * @throws IllegalStateException if it is closed
     */
    public void checkOpen() {
        endpoint().checkOpen();
    }

    /** The context shared by all objects of the RNIC. */
    public RnicContext rnicContext() {
        return context;
    }

    /** The engine that serves the queue pair. */
    public RnicEngine engine() {
        return engine;
    }

    @Override
    public DomainObjects domain() {
        return domain;
    }

    /** The options that the queue pair was created with. */
    public QueuePairOptions options() {
        return options;
    }

    /** The reliable datagram domain, if the service has one. */
    public Optional<SoftDatagramDomain> datagramDomain() {
        return options.datagramDomain().map(it -> SoftDatagramDomain.of(it, context));
    }

    Optional<SoftSharedReceiveQueue> shared() {
        return shared;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public Object context() {
        return options.context();
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain.domain();
    }

    @Override
    public CompletionQueue sendCq() {
        return options.sendCq();
    }

    @Override
    public CompletionQueue receiveCq() {
        return options.receiveCq();
    }

    @Override
    public QueuePairState state() {
        return endpoint().state();
    }

    @Override
    public Optional<Connection> connection() {
        return endpoint().connection().map(Connection.class::cast);
    }

    // Posting.

    @Override
    public WorkRequest newWorkRequest() {
        return Template.of(domain, options);
    }

    @Override
    public boolean post(WorkRequest request) {
        Template template = Template.of(request, domain);
        boolean receive = template.opcode() == WorkOpcode.RECEIVE;
        template.check(receive ? options.maxScatter() : options.maxGather(), receive ? 0 : options.maxInlineBytes());
        if (receive) {
            checkMayReceive();
        } else {
            checkMaySend();
            checkAddressed(template);
        }
        WorkQueue queue = receive ? receiveQueue : sendQueue;
        Wqe wqe = receive ? receiveWqe : sendWqe;
        boolean executed = false;
        assert poster.begin();
        try {
            if (!queue.claim(wqe)) {
                return false;
            }
            template.copyTo(wqe);
            switch (template.opcode()) {
                case BIND -> SoftMemoryWindow.of(template.window(), domain).posted(wqe, template.region(0), this);
                case UNBIND -> SoftMemoryWindow.of(template.window(), domain).unbindPosted(wqe, this);
                default -> executed = !receive && executed(wqe);
            }
            if (!executed) {
                queue.written();
            }
        } finally {
            assert poster.end();
        }
        conclude(executed, receive);
        return true;
    }

    @Override
    public boolean postSend(long wrId, MemoryRegion region, long offset, int length, WrFlags flags) {
        return postOne(WorkOpcode.SEND, wrId, region, offset, length, 0, 0, 0, 0, flags);
    }

    @Override
    public boolean postWrite(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags) {
        return postOne(WorkOpcode.WRITE, wrId, local, offset, length, remoteAddress, rkey, 0, 0, flags);
    }

    @Override
    public boolean writeNow(ByteBuffer source, int position, int length, long remoteAddress, int rkey) {
        checkMaySend();
        Objects.checkFromIndexSize(position, length, source.limit());
        BufferSource bytes = bufferSource == null ? new BufferSource() : bufferSource;
        bufferSource = bytes;
        return bytes.write(endpoint(), source, position, length, remoteAddress, rkey);
    }

    @Override
    public int writeNow(ByteSource source, int most, long remoteAddress, int rkey) throws IOException {
        checkMaySend();
        return endpoint().writeNow(source, most, remoteAddress, rkey);
    }

    @Override
    public boolean postRead(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags) {
        return postOne(WorkOpcode.READ, wrId, local, offset, length, remoteAddress, rkey, 0, 0, flags);
    }

    @Override
    public boolean postCompareAndSwap(
            long wrId,
            MemoryRegion local,
            long offset,
            long remoteAddress,
            int rkey,
            long expected,
            long desired,
            WrFlags flags) {
        int length = PostingRules.ATOMIC_BYTES;
        return postOne(COMPARE_AND_SWAP, wrId, local, offset, length, remoteAddress, rkey, expected, desired, flags);
    }

    @Override
    public boolean postFetchAndAdd(
            long wrId, MemoryRegion local, long offset, long remoteAddress, int rkey, long addend, WrFlags flags) {
        int length = PostingRules.ATOMIC_BYTES;
        return postOne(WorkOpcode.FETCH_AND_ADD, wrId, local, offset, length, remoteAddress, rkey, addend, 0, flags);
    }

    private boolean postOne(
            WorkOpcode opcode,
            long wrId,
            MemoryRegion region,
            long offset,
            int length,
            long remoteAddress,
            int rkey,
            long operand1,
            long operand2,
            WrFlags flags) {
        SoftMemoryRegion softMemoryRegion = SoftMemoryRegion.of(region, domain);
        PostingRules.range(softMemoryRegion.length(), offset, length);
        if (flags.inline()) {
            PostingRules.inlineFits(opcode, length, options.maxInlineBytes());
        }
        checkMaySend();
        if (datagrams) {
            throw PostingRules.noDestination(options.service());
        }
        boolean executed;
        assert poster.begin();
        try {
            Wqe wqe = sendWqe;
            if (!sendQueue.claim(wqe)) {
                return false;
            }
            wqe.clear(opcode, flags)
                    .wrId(wrId)
                    .remoteAddress(remoteAddress)
                    .rkey(rkey)
                    .operand1(operand1)
                    .operand2(operand2);
            if (flags.inline()) {
                softMemoryRegion.copyInline(offset, wqe.bytes(), wqe.inlineOffset(), length);
                wqe.inlineLength(length);
            } else if (length > 0) {
                wqe.addElement(softMemoryRegion.localKey(), offset, length);
            }
            executed = executed(wqe);
            if (!executed) {
                sendQueue.written();
            }
        } finally {
            assert poster.end();
        }
        conclude(executed, false);
        return true;
    }

    @Override
    public boolean postReceive(long wrId, MemoryRegion region, long offset, int length) {
        SoftMemoryRegion softMemoryRegion = SoftMemoryRegion.of(region, domain);
        PostingRules.range(softMemoryRegion.length(), offset, length);
        checkMayReceive();
        assert poster.begin();
        try {
            if (!receiveQueue.claim(receiveWqe)) {
                return false;
            }
            receiveWqe.clear(WorkOpcode.RECEIVE, WrFlags.SIGNALLED).wrId(wrId);
            if (length > 0) {
                receiveWqe.addElement(softMemoryRegion.localKey(), offset, length);
            }
            receiveQueue.written();
        } finally {
            assert poster.end();
        }
        announce(true);
        return true;
    }

    /** Whether a request was executed at once. Its slot, which was claimed, is free for the next one then. */
    private boolean executed(Wqe wqe) {
        return !batching && !sendQueue.hasUnpublished() && endpoint().execute(wqe);
    }

    private void conclude(boolean executed, boolean receive) {
        if (executed) {
            endpoint().concludePost();
        } else {
            announce(receive);
        }
    }

    /** Publishes the written work to the engine, unless a batch is in progress. */
    private void announce(boolean receive) {
        if (batching) {
            return;
        }
        if (!receive) {
            sendQueue.publish();
            engine.ring(endpoint());
            return;
        }
        receiveQueue.publish();
        // A receive waits for a message and rings no doorbell, unless it is to be flushed.
        if (endpoint().flushesPosts()) {
            engine.ring(endpoint());
        }
    }

    @Override
    public void startBatch() {
        if (inline) {
            engine.checkCaller();
        }
        batching = true;
    }

    @Override
    public void ringDoorbell() {
        if (inline) {
            engine.checkCaller();
        }
        batching = false;
        boolean sends = sendQueue.hasUnpublished();
        if (shared.isEmpty() && receiveQueue.hasUnpublished()) {
            announce(true);
        }
        if (sends) {
            announce(false);
        }
    }

    /** Whether a batch contains work whose doorbell was not rung. */
    public boolean hasUnrung() {
        return sendQueue.hasUnpublished() || shared.isEmpty() && receiveQueue.hasUnpublished();
    }

    /**
     * Publishes the work of an unfinished batch when posting has ended. Called on the engine, which flushes the work in
     * the same turn.
     */
    void publishUnrung() {
        sendQueue.publish();
        if (shared.isEmpty()) {
            receiveQueue.publish();
        }
    }

    /**
     * Fails if no work can be posted. This precedes every change, because after work is published the doorbell must not
     * fail.
     */
    private void checkMayPost() {
        endpoint().checkOpen();
        context.checkTakesWork();
        if (inline) {
            engine.checkCaller();
        }
    }

    private void checkMaySend() {
        checkMayPost();
        if (!endpoint().takesSends()) {
            throw PostingRules.notConnected();
        }
    }

    /** A datagram needs a destination, which only a template can name. */
    private void checkAddressed(Template template) {
        if (options.service() == TransportService.RELIABLE_DATAGRAM) {
            SoftEndToEndContext.checkNamed(template.context(), options.datagramDomain());
        } else if (datagrams && !template.addressed() && template.opcode() != WorkOpcode.DELAY) {
            throw PostingRules.noDestination(options.service());
        }
    }

    private void checkMayReceive() {
        checkMayPost();
        if (shared.isPresent()) {
            throw PostingRules.usesSharedQueue();
        }
    }

    // State.

    @Override
    public void joinGroup(InetAddress group) throws IOException {
        endpoint().joinGroup(group);
    }

    @Override
    public void leaveGroup(InetAddress group) throws IOException {
        endpoint().leaveGroup(group);
    }

    @Override
    public AutoCloseable steer(OptionalInt nextHeader, Optional<InetAddress> destination) {
        return endpoint().steer(nextHeader, destination);
    }

    @Override
    public QueuePairAttributes query() {
        return endpoint().query((int) (sendQueue.posted() - sendQueue.retired()), (int)
                (receiveQueue.posted() - receiveQueue.retired()));
    }

    @Override
    public void modify(QueuePairChange change) {
        endpoint().modify(change);
    }

    @Override
    public void close() {
        endpoint().close();
    }

    // As seen by other objects.

    @Override
    public boolean flushesPosts() {
        return endpoint().flushesPosts();
    }

    @Override
    public String reason() {
        return endpoint().reason();
    }

    @Override
    public void refreshRings(CompletionQueue cq, RnicEngine on) {
        if (engine == on && (sendCq() == cq || receiveCq() == cq)) {
            endpoint().refreshRings();
        }
    }

    @Override
    public String toString() {
        return String.format("queue pair 0x%06x", number);
    }
}
