package io.verbena.hardware.provider;

import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.objects.ConnectionRules;
import io.verbena.objects.Ownership;
import io.verbena.objects.QueuePairRules;
import io.verbena.objects.Template;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.RnicAttributes;
import io.verbena.verbs.TransportService;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair of an adapter. It is ready for receives from the beginning. Requests are counted here, because adapters take more than
 * they granted; and a request for a queue pair that has failed is flushed here, because some adapters lose it.
 */
final class HardwareQueuePair implements PostedWork {

    /** What a request of librdmacm can state; an adapter that serves fewer is not asked for more. */
    private static final int MOST_READS = 255;

    private final AdapterDomain domain;
    private final QueuePairOptions options;
    private final HardwareCompletionQueue sendCq;
    private final HardwareCompletionQueue receiveCq;
    private final NativeQueuePair nativeQueuePair;
    private final int id;
    private final SlotTable sends;
    private final SlotTable receives;
    private final QueuePairStates states;
    private final SendPoster sendPoster;
    private final ReceivePoster receivePoster;
    private final QueuePairGroups groups;
    private volatile Optional<QueuePairOwner> connection = Optional.empty();

    /** If the connection survives its transport, or will perhaps. */
    private volatile @Nullable SurvivingQueues surviving;

    private volatile boolean closed;

    private HardwareQueuePair(AdapterDomain domain, QueuePairOptions options, NativeQueuePair nativeQueuePair) {
        this.domain = domain;
        this.options = options;
        this.nativeQueuePair = nativeQueuePair;
        sendCq = HardwareCompletionQueue.of(options.sendCq(), domain.rnic());
        receiveCq = HardwareCompletionQueue.of(options.receiveCq(), domain.rnic());
        sends = new SlotTable(options.sendDepth());
        receives = new SlotTable(options.sharedReceiveQueue().isPresent() ? 1 : options.receiveDepth());
        states = new QueuePairStates(this);
        groups = new QueuePairGroups(this, domain.rnic());
        receivePoster = new ReceivePoster(this);
        sendPoster = new SendPoster(this, nativeQueuePair.inlineBytes());
        id = domain.rnic().add(this);
    }

    static HardwareQueuePair create(AdapterDomain domain, QueuePairOptions options) {
        check(domain, options);
        HardwareCompletionQueue send = HardwareCompletionQueue.of(options.sendCq(), domain.rnic());
        HardwareCompletionQueue receive = HardwareCompletionQueue.of(options.receiveCq(), domain.rnic());
        Optional<HardwareSharedReceiveQueue> srq = options.sharedReceiveQueue().map(HardwareSharedReceiveQueue::of);
        List<Runnable> entered = new ArrayList<>();
        boolean complete = false;
        try {
            send.enter();
            entered.add(send::leave);
            receive.enter();
            entered.add(receive::leave);
            srq.ifPresent(each -> {
                each.enter(domain);
                entered.add(each::leave);
            });
            HardwareQueuePair queuePair = over(domain, options, new NativeQueuePair(domain, options));
            complete = true;
            return queuePair;
        } finally {
            if (!complete) {
                entered.forEach(Runnable::run);
            }
        }
    }

    /** The object of a native queue pair, in INIT; if that fails, the native one is destroyed. */
    private static HardwareQueuePair over(
            AdapterDomain domain, QueuePairOptions options, NativeQueuePair nativeQueuePair) {
        Optional<HardwareQueuePair> unfinished = Optional.empty();
        boolean complete = false;
        try {
            HardwareQueuePair queuePair = new HardwareQueuePair(domain, options, nativeQueuePair);
            unfinished = Optional.of(queuePair);
            queuePair.states.begin();
            complete = true;
            return queuePair;
        } finally {
            if (!complete) {
                int _ = domain.libraries().attempt(NativeFunction.DESTROY_QP, nativeQueuePair.qp());
                unfinished.ifPresent(HardwareQueuePair::discard);
            }
        }
    }

    /** Forgets a queue pair whose native one is destroyed. */
    private void discard() {
        domain.rnic().forget(this);
        sendPoster.close();
    }

    private static void check(AdapterDomain domain, QueuePairOptions options) {
        AdapterFacts facts = domain.rnic().facts();
        RnicAttributes limits = domain.rnic().query();
        QueuePairRules.check(options, limits, "device " + facts.name());
        QueuePairRules.reads(options, MOST_READS, MOST_READS);
    }

    // For the package.

    @Override
    public long qp() {
        return nativeQueuePair.qp();
    }

    /** Its number among the queue pairs of the RNIC, for {@link WorkId}. */
    @Override
    public int id() {
        return id;
    }

    AdapterDomain domain() {
        return domain;
    }

    QueuePairOptions options() {
        return options;
    }

    @Override
    public SlotTable sends() {
        return sends;
    }

    @Override
    public SlotTable receives() {
        return receives;
    }

    QueuePairStates states() {
        return states;
    }

    SendPoster sendPoster() {
        return sendPoster;
    }

    ReceivePoster receivePoster() {
        return receivePoster;
    }

    NativeQueuePair nativeQueuePair() {
        return nativeQueuePair;
    }

    /** What gives its requests to the adapter, if the connection survives its transport or will perhaps; else null. */
    @Nullable
    SurvivingQueues surviving() {
        return surviving;
    }

    /** From now on its requests can outlive the native queue pair. */
    SurvivingQueues survive() {
        endSurviving();
        SurvivingQueues queues = new SurvivingQueues(this);
        sendCq.keepOutstanding(1);
        receiveCq.keepOutstanding(1);
        surviving = queues;
        return queues;
    }

    /** Its requests end with the native queue pair: the peer did not agree, or the queue pair is closed. */
    void endSurviving() {
        SurvivingQueues queues = surviving;
        if (queues != null) {
            surviving = null;
            sendCq.keepOutstanding(-1);
            receiveCq.keepOutstanding(-1);
            queues.free();
        }
    }

    /** Fetches all entries of its queues that the adapter has. */
    void fetchAll() {
        sendCq.fetchAll();
        if (receiveCq != sendCq) {
            receiveCq.fetchAll();
        }
    }

    @Override
    public boolean keeps(boolean receive, int slot, CompletionStatus status) {
        SurvivingQueues queues = surviving;
        return queues != null && queues.onEntry(receive, slot, status);
    }

    @Override
    public Optional<byte[]> path(InetAddress group) {
        return groups.path(group);
    }

    @Override
    public TransportService service() {
        return options.service();
    }

    boolean datagrams() {
        return options.service() == TransportService.UNRELIABLE_DATAGRAM;
    }

    /** The queue pair executes no more work. */
    void ended() {
        sendPoster.ended();
    }

    boolean closed() {
        return closed;
    }

    @Override
    public void failedSend(int slot) {
        sendPoster.failed(slot);
    }

    @Override
    public void onFailedWork(CompletionStatus status) {
        if (datagrams()) {
            return;
        }
        // On iWARP the kernel ends a queue pair whose peer has disconnected, so that flushed work may be seen before
        // that event.
        if (status != CompletionStatus.FLUSHED || !domain.rnic().facts().iwarp()) {
            fail("Work of the queue pair failed: " + status.sentence() + ".");
        }
        states.failed();
    }

    @Override
    public void invalidated(int key) {
        domain.invalidated(key);
    }

    /** Whether an entry that the program has not polled yet reports a failure. */
    boolean hasUnseenFailure() {
        return sendCq.holdsFailureOf(number()) || receiveCq.holdsFailureOf(number());
    }

    @Override
    public void fail(String sentence) {
        connection.ifPresent(each -> each.failed(sentence));
        states.failed();
    }

    @Override
    public void adapterFailed() {
        states.failed();
    }

    /** Assigns the queue pair to a connection that is to be set up. */
    synchronized void claim(QueuePairOwner value) {
        checkOpen();
        ConnectionRules.unused(state(), connection);
        connection = Optional.of(value);
    }

    /** Work that was posted after the queue pair failed. */
    void flush(long wrId, CompletionOpcode opcode) {
        complete(wrId, opcode, CompletionStatus.FLUSHED);
    }

    /** Adds an entry for work that the adapter does not have. */
    void complete(long wrId, CompletionOpcode opcode, CompletionStatus status) {
        HardwareCompletionQueue cq = opcode == CompletionOpcode.RECEIVE ? receiveCq : sendCq;
        cq.own().add(new OwnEntries.Entry(this, wrId, opcode, status));
        cq.ownAdded();
    }

    void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the queue pair is closed");
        }
        domain.rnic().checkOpen();
    }

    // The verbs.

    @Override
    public int number() {
        return nativeQueuePair.number();
    }

    @Override
    public Object context() {
        return options.context();
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public CompletionQueue sendCq() {
        return sendCq;
    }

    @Override
    public CompletionQueue receiveCq() {
        return receiveCq;
    }

    @Override
    public QueuePairState state() {
        return states.state();
    }

    @Override
    public QueuePairAttributes query() {
        Optional<QueuePairOwner> currentConnection = connection;
        return QueuePairAttributes.builder(number(), state(), options, domain)
                .remoteRights(states.rights())
                .ports(
                        currentConnection.map(Connection::localAddress),
                        currentConnection.map(Connection::remoteAddress))
                .reads(states.inboundReads(), states.outboundReads())
                .remoteNumber(states.remoteNumber())
                .path(states.path())
                .outstanding(sends.outstanding(), receives.outstanding())
                .build();
    }

    @Override
    public void modify(QueuePairChange change) {
        checkOpen();
        states.modify(change);
    }

    @Override
    public WorkRequest newWorkRequest() {
        return Template.of(domain, options);
    }

    @Override
    public boolean post(WorkRequest request) {
        Template template = Template.of(request, domain);
        return template.opcode() == WorkOpcode.RECEIVE ? receivePoster.post(template) : sendPoster.post(template);
    }

    @Override
    public boolean postSend(long wrId, MemoryRegion region, long offset, int length, WrFlags flags) {
        return sendPoster.send(wrId, region, offset, length, flags);
    }

    @Override
    public boolean postWrite(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags) {
        return sendPoster.write(wrId, local, offset, length, remoteAddress, rkey, flags);
    }

    @Override
    public boolean postRead(
            long wrId, MemoryRegion local, long offset, int length, long remoteAddress, int rkey, WrFlags flags) {
        return sendPoster.read(wrId, local, offset, length, remoteAddress, rkey, flags);
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
        return sendPoster.compareAndSwap(wrId, local, offset, remoteAddress, rkey, expected, desired, flags);
    }

    @Override
    public boolean postFetchAndAdd(
            long wrId, MemoryRegion local, long offset, long remoteAddress, int rkey, long addend, WrFlags flags) {
        return sendPoster.fetchAndAdd(wrId, local, offset, remoteAddress, rkey, addend, flags);
    }

    @Override
    public boolean postReceive(long wrId, MemoryRegion region, long offset, int length) {
        return receivePoster.post(wrId, region, offset, length);
    }

    @Override
    public void startBatch() {
        sendPoster.startBatch();
    }

    @Override
    public void ringDoorbell() {
        sendPoster.ring();
    }

    @Override
    public Optional<Connection> connection() {
        return connection.map(each -> each);
    }

    @Override
    public void joinGroup(InetAddress group) throws IOException {
        checkOpen();
        groups.join(group);
    }

    @Override
    public void leaveGroup(InetAddress group) {
        checkOpen();
        groups.leave(group);
    }

    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        connection.ifPresent(each -> {
            each.failed("The queue pair was closed.");
            each.abort();
        });
        groups.close();
        states.failed();
        domain.freeWindowsOf(this);
        nativeQueuePair.destroy();
        endSurviving();
        discard();
        sendCq.leave();
        receiveCq.leave();
        options.sharedReceiveQueue().map(HardwareSharedReceiveQueue::of).ifPresent(HardwareSharedReceiveQueue::leave);
        domain.left();
    }

    /** The queue pair that a program has connected, which must be of this RNIC, open and without a connection. */
    static HardwareQueuePair unused(QueuePair queuePair, AdapterContext rnic) {
        HardwareQueuePair hardwareQueuePair = of(queuePair, rnic);
        hardwareQueuePair.checkOpen();
        ConnectionRules.unused(hardwareQueuePair.state(), hardwareQueuePair.connection);
        return hardwareQueuePair;
    }

    /** The queue pair of an object of the verbs. */
    static HardwareQueuePair of(QueuePair queuePair, AdapterContext rnic) {
        if (queuePair instanceof HardwareQueuePair hardwareQueuePair && hardwareQueuePair.domain.rnic() == rnic) {
            return hardwareQueuePair;
        }
        throw Ownership.foreign("queue pair");
    }
}
