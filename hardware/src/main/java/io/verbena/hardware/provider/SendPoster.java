package io.verbena.hardware.provider;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvMr;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.request.NativeOpcode;
import io.verbena.hardware.provider.request.RequestRing;
import io.verbena.hardware.provider.request.SendOperands;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.objects.PostingRules;
import io.verbena.objects.Template;
import io.verbena.queue.Wqe;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Posts to the send queue of one queue pair. A request is written to the native request of its slot; a batch links them, and gives them
 * to the adapter when its doorbell is rung.
 *
 * <p>Inline data is copied from its segment by Java, which checks that the memory exists; the adapter copies it from ours. What is
 * more than the adapter takes inline stays in the slot, which is registered then.
 */
final class SendPoster implements AutoCloseable {

    private static final int FENCE = 1;
    static final int SIGNALED = 2;
    private static final int SOLICITED = 4;
    private static final int INLINE = 8;

    /** Memory that an adapter would not give back. */
    private static final Queue<RequestRing> KEPT = new ConcurrentLinkedQueue<>();

    private final HardwareQueuePair queuePair;
    private final SlotTable slots;
    private final RequestRing ring;
    private final int maxInlineBytes;
    private final int inlineOfAdapter;
    private final long ringMr;
    private final int ringKey;
    private final BindPoster binds;
    private volatile @Nullable Delays delays;
    private boolean batch;

    /** Requests that are linked and not given to the adapter yet. */
    private long firstOfChain;

    private long lastOfChain;
    private int inChain;
    private long lastAdded;

    /** The poster of a queue pair, whose adapter has granted this many inline bytes. */
    SendPoster(HardwareQueuePair queuePair, int inlineOfAdapter) {
        this.queuePair = queuePair;
        this.inlineOfAdapter = inlineOfAdapter;
        slots = queuePair.sends();
        maxInlineBytes = queuePair.options().maxInlineBytes();
        binds = new BindPoster(this);
        ring = RequestRing.sends(slots.depth(), queuePair.options().maxGather(), maxInlineBytes);
        if (maxInlineBytes > inlineOfAdapter) {
            AdapterDomain domain = queuePair.domain();
            ringMr = domain.libraries()
                    .call(NativeFunction.REG_MR, domain.pd(), ring.address(), ring.totalBytes(), ring.address(), 0);
            ringKey = Native.intAt(ringMr + IbvMr.LKEY);
        } else {
            ringMr = 0;
            ringKey = 0;
        }
    }

    boolean send(long wrId, MemoryRegion region, long offset, int length, WrFlags flags) {
        if (!begin(WorkOpcode.SEND, region, offset, length, flags)) {
            return false;
        }
        return commit(WorkOpcode.SEND, wrId, length, flags);
    }

    boolean write(long wrId, MemoryRegion region, long offset, int length, long remote, int rkey, WrFlags flags) {
        if (!begin(WorkOpcode.WRITE, region, offset, length, flags)) {
            return false;
        }
        SendOperands.remote(ring.request(slots.next()), remote, rkey);
        return commit(WorkOpcode.WRITE, wrId, length, flags);
    }

    boolean read(long wrId, MemoryRegion region, long offset, int length, long remote, int rkey, WrFlags flags) {
        if (!begin(WorkOpcode.READ, region, offset, length, flags)) {
            return false;
        }
        SendOperands.remote(ring.request(slots.next()), remote, rkey);
        return commit(WorkOpcode.READ, wrId, length, flags);
    }

    boolean compareAndSwap(
            long wrId,
            MemoryRegion region,
            long offset,
            long remote,
            int rkey,
            long expected,
            long desired,
            WrFlags flags) {
        if (!begin(WorkOpcode.COMPARE_AND_SWAP, region, offset, PostingRules.ATOMIC_BYTES, flags)) {
            return false;
        }
        SendOperands.atomic(ring.request(slots.next()), remote, rkey, expected, desired);
        return commit(WorkOpcode.COMPARE_AND_SWAP, wrId, PostingRules.ATOMIC_BYTES, flags);
    }

    boolean fetchAndAdd(
            long wrId, MemoryRegion region, long offset, long remote, int rkey, long addend, WrFlags flags) {
        if (!begin(WorkOpcode.FETCH_AND_ADD, region, offset, PostingRules.ATOMIC_BYTES, flags)) {
            return false;
        }
        SendOperands.atomic(ring.request(slots.next()), remote, rkey, addend, 0);
        return commit(WorkOpcode.FETCH_AND_ADD, wrId, PostingRules.ATOMIC_BYTES, flags);
    }

    boolean post(Template template) {
        WorkOpcode opcode = template.opcode();
        template.check(queuePair.options().maxGather(), maxInlineBytes);
        checkMaySend(opcode);
        SurvivingQueues.check(queuePair.surviving(), opcode);
        if (queuePair.datagrams() && !template.addressed()) {
            throw PostingRules.noDestination(queuePair.options().service());
        }
        if (opcode == WorkOpcode.BIND || opcode == WorkOpcode.UNBIND) {
            return binds.post(template);
        }
        if (!begin(opcode) || opcode == WorkOpcode.READ_WITH_INVALIDATE && !slots.free(2)) {
            return false;
        }
        int slot = slots.next();
        if (template.flags().inline()) {
            ring.inline(slot, template);
            inlineElement(slot, template.length());
        } else {
            ring.elements(slot, template);
        }
        SendOperands.write(ring.request(slot), template, ah(template));
        Wqe wqe = template.wqe();
        return switch (opcode) {
            case DELAY -> delay(template);
            case READ_WITH_INVALIDATE -> readWithInvalidate(template);
            case LOCAL_INVALIDATE -> {
                queuePair.domain().invalidated(wqe.rkey());
                yield commit(opcode, wqe.wrId(), 0, template.flags());
            }
            default -> commit(opcode, wqe.wrId(), template.length(), template.flags());
        };
    }

    private long ah(Template template) {
        return template.addressed()
                ? HardwareAddressHandle.of(template.destination(), queuePair.domain())
                        .ah()
                : 0;
    }

    /** A Read, and a local invalidate that is fenced, so that it waits for the Read. */
    private boolean readWithInvalidate(Template template) {
        WorkOpcode opcode = WorkOpcode.READ_WITH_INVALIDATE;
        if (!queuePair.state().failed()) {
            first(opcode, template.wqe().wrId(), template.length(), template.flags());
            int slot = slots.next();
            long request = ring.begin(slot, WorkId.send(queuePair.id(), slot));
            Native.putInt(request + IbvSendWr.OPCODE, NativeOpcode.LOCAL_INV);
            Native.putInt(request + IbvSendWr.INVALIDATE_RKEY, template.wqe().otherKey());
            queuePair.domain().invalidated(template.wqe().otherKey());
            return second(
                    opcode,
                    template.wqe().wrId(),
                    template.length(),
                    template.flags().withFence());
        }
        return commit(opcode, template.wqe().wrId(), template.length(), template.flags());
    }

    /** Requests before a delay are given to the adapter, and it and those after it wait. */
    private boolean delay(Template template) {
        if (queuePair.state().failed() || template.wqe().operand1() == 0) {
            return commit(WorkOpcode.DELAY, template.wqe().wrId(), 0, template.flags());
        }
        Delays held = delays;
        if (held == null) {
            held = new Delays(
                    queuePair.domain().rnic(),
                    this::giveHeld,
                    () -> queuePair.onFailedWork(CompletionStatus.LOCAL_OPERATION));
            delays = held;
        }
        postChain();
        long request = ring.request(slots.next());
        fill(request, WorkOpcode.DELAY, template.wqe().wrId(), 0, template.flags());
        held.begin(template.wqe().operand1(), request);
        if (queuePair.state().failed()) {
            ended(); // it failed meanwhile
        }
        return true;
    }

    /** Begins a request of one element; returns false if the queue is full. */
    private boolean begin(WorkOpcode opcode, MemoryRegion region, long offset, int length, WrFlags flags) {
        HardwareRegion hardwareRegion = HardwareRegion.of(region, queuePair.domain());
        PostingRules.range(hardwareRegion.length(), offset, length);
        queuePair.domain().checkOperation(opcode);
        if (flags.inline()) {
            PostingRules.inlineFits(opcode, length, maxInlineBytes);
        }
        checkMaySend(opcode);
        if (queuePair.datagrams()) {
            throw PostingRules.noDestination(queuePair.options().service());
        }
        if (!begin(opcode)) {
            return false;
        }
        int slot = slots.next();
        if (flags.inline()) {
            ring.inline(slot, hardwareRegion, offset, length);
            inlineElement(slot, length);
        } else if (length > 0) {
            ring.element(slot, hardwareRegion.address() + offset, length, hardwareRegion.localKey());
        }
        return true;
    }

    private void checkMaySend(WorkOpcode opcode) {
        queuePair.checkOpen();
        if (!queuePair.state().maySend()) {
            throw PostingRules.notConnected();
        }
        if (opcode == WorkOpcode.DELAY && queuePair.datagrams()) {
            throw new UnsupportedOperationException(
                    "A delay needs a connection; the provider ibverbs has none for datagrams.");
        }
    }

    /** Begins a request in the next slot; returns false if the queue is full. */
    boolean begin(WorkOpcode opcode) {
        if (!slots.free(SurvivingQueues.slotsEach(queuePair.surviving()))
                && !queuePair.state().failed()) {
            return false;
        }
        int slot = slots.next();
        long request = ring.begin(slot, WorkId.send(queuePair.id(), slot));
        Native.putInt(request + IbvSendWr.OPCODE, NativeOpcode.of(opcode));
        return true;
    }

    private void inlineElement(int slot, int length) {
        if (length > 0) {
            ring.element(slot, ring.inline(slot), length, ringKey);
        }
    }

    /** Ends the request in the next slot. */
    boolean commit(WorkOpcode opcode, long wrId, int length, WrFlags flags) {
        CompletionOpcode completion = NativeOpcode.completion(opcode);
        if (queuePair.state().failed()) {
            queuePair.flush(wrId, completion);
            return true;
        }
        if (!mayAwait(opcode)) {
            postChain();
            queuePair.complete(wrId, completion, CompletionStatus.LOCAL_OPERATION);
            queuePair.onFailedWork(CompletionStatus.LOCAL_OPERATION);
            return true;
        }
        SurvivingQueues surviving = queuePair.surviving();
        if (surviving != null && surviving.logged()) {
            return surviving.commitWithLog(opcode, wrId, length, flags);
        }
        fill(ring.request(slots.next()), opcode, wrId, length, flags);
        return link();
    }

    /** Whether the sides have agreed on what the peer answers. Adapters differ in what they do if not. */
    private boolean mayAwait(WorkOpcode opcode) {
        return switch (opcode) {
            case READ, COMPARE_AND_SWAP, FETCH_AND_ADD -> queuePair.states().outboundReads() > 0;
            default -> true;
        };
    }

    /** Adds the first of two requests that are one for the program; {@link #second} follows. */
    void first(WorkOpcode opcode, long wrId, int length, WrFlags flags) {
        long request = ring.request(slots.next());
        boolean signal = slots.addFirst(wrId, NativeOpcode.completion(opcode), length);
        Native.putInt(request + IbvSendWr.SEND_FLAGS, bits(signal, length, flags));
        chain(request);
    }

    /** Adds the second of two requests. */
    boolean second(WorkOpcode opcode, long wrId, int length, WrFlags flags) {
        fill(ring.request(slots.next()), opcode, wrId, length, flags);
        slots.pair();
        return link();
    }

    private void fill(long request, WorkOpcode opcode, long wrId, int length, WrFlags flags) {
        boolean report = flags.signalled() || queuePair.options().signalAll();
        boolean signal = slots.add(wrId, NativeOpcode.completion(opcode), length, report);
        Native.putInt(request + IbvSendWr.SEND_FLAGS, bits(signal, length, flags));
        lastAdded = request;
    }

    private int bits(boolean signal, int length, WrFlags flags) {
        return (flags.fenced() ? FENCE : 0)
                | (flags.solicited() ? SOLICITED : 0)
                | (signal || queuePair.surviving() != null ? SIGNALED : 0)
                | (flags.inline() && length <= inlineOfAdapter ? INLINE : 0);
    }

    private void chain(long request) {
        if (inChain++ == 0) {
            firstOfChain = request;
        } else {
            Native.putLong(lastOfChain + IbvSendWr.NEXT, request);
        }
        lastOfChain = request;
    }

    /** The request that was filled last is complete: it is given to the adapter, unless a batch is being made. */
    private boolean link() {
        chain(lastAdded);
        return batch || post(false);
    }

    /**
     * Posts the chain to the adapter. If a delay was posted before, the chain is kept until the delay has passed.
     *
     * @param accepted whether the requests were accepted from the program, so that each has an entry
     * @return false if they were not and the adapter has no slot
     */
    private boolean post(boolean accepted) {
        int count = inChain;
        assert count > 0 : "the adapter is given requests";
        inChain = 0;
        Delays held = delays;
        if (held != null && held.append(firstOfChain, lastOfChain, count)) {
            if (queuePair.state().failed()) {
                ended(); // it failed meanwhile
            }
            return true;
        }
        int errno = give(firstOfChain, count);
        if (errno == 0) {
            return true;
        }
        int refused = refused(firstOfChain, count);
        if (refused == count && !accepted) {
            takeBack(count);
            if (errno == Errno.ENOMEM) {
                return false;
            }
            throw refused(errno);
        }
        completeRefused(refused);
        return true;
    }

    private int give(long requests, int count) {
        SurvivingQueues surviving = queuePair.surviving();
        return surviving == null
                ? queuePair.domain().rnic().adapter().calls().postSend(queuePair.qp(), requests, ring.bad())
                : surviving.postSends(requests, count);
    }

    /** How many requests of a chain the adapter has refused: it has those before the one that it names. */
    int refused(long firstRequest, int count) {
        int refused = count;
        long bad = Native.longAt(ring.bad());
        for (long each = firstRequest; each != bad && each != 0; each = Native.longAt(each + IbvSendWr.NEXT)) {
            refused--;
        }
        return refused;
    }

    private void takeBack(int count) {
        for (int i = 0; i < count; i++) {
            slots.takeBack();
        }
    }

    private static VerbsException refused(int errno) {
        return new VerbsException("The adapter refused a request: " + Errno.text(errno) + ".");
    }

    // Batches and delays.

    void startBatch() {
        batch = true;
    }

    void ring() {
        batch = false;
        postChain();
    }

    /** Gives the chain to the adapter now, although a batch is being made; a call that is no request follows. */
    void postChain() {
        if (inChain > 0) {
            boolean _ = post(true);
        }
    }

    /** Whether requests wait for a delay. */
    boolean holds() {
        Delays held = delays;
        return held != null && held.holds();
    }

    /**
     * The adapter has not taken the last requests of a batch. They were accepted from the program, so that each has an entry: the first
     * with a failure, the others flushed, as after a failure that the adapter reports.
     */
    private void completeRefused(int count) {
        int first = Math.floorMod(slots.next() - count, slots.depth());
        for (int i = 0; i < count; i++) {
            complete((first + i) % slots.depth(), i == 0 ? CompletionStatus.LOCAL_OPERATION : CompletionStatus.FLUSHED);
        }
        takeBack(count);
        queuePair.onFailedWork(CompletionStatus.LOCAL_OPERATION);
    }

    private void complete(int slot, CompletionStatus status) {
        failed(slot);
        if (slots.showsFailure(slot)) {
            queuePair.complete(slots.wrId(slot), slots.opcode(slot), status);
        }
    }

    /** A delay has passed. The slots of requests that are refused stay in use: later ones may have been posted. */
    private boolean giveHeld(Delays.Held held) {
        if (give(held.first(), held.count()) == 0) {
            return true;
        }
        int refused = refused(held.first(), held.count());
        flush(held, held.count() - refused, CompletionStatus.LOCAL_OPERATION);
        return false;
    }

    private void flush(Delays.Held held, int taken, CompletionStatus ofFirst) {
        long each = held.first();
        for (int i = 0; i < held.count(); i++) {
            if (i >= taken) {
                complete(
                        WorkId.slot(Native.longAt(each + IbvSendWr.WR_ID)),
                        i == taken ? ofFirst : CompletionStatus.FLUSHED);
            }
            each = Native.longAt(each + IbvSendWr.NEXT);
        }
    }

    /** The queue pair has ended: what waits for a delay is flushed. */
    void ended() {
        Delays held = delays;
        if (held != null) {
            for (Delays.Held each : held.end()) {
                if (!queuePair.closed()) {
                    flush(each, 0, CompletionStatus.FLUSHED);
                }
            }
        }
    }

    /** The request in a slot has failed: a bind has no effect. */
    void failed(int slot) {
        binds.failed(slot);
    }

    HardwareQueuePair queuePair() {
        return queuePair;
    }

    RequestRing requests() {
        return ring;
    }

    @Override
    public void close() {
        if (ringMr != 0) {
            int errno = queuePair.domain().libraries().attempt(NativeFunction.DEREG_MR, ringMr);
            if (errno != 0) {
                KEPT.add(ring); // the adapter may still read the memory
            }
        }
    }
}
