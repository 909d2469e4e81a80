package io.verbena.hardware.provider;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvSrqAttr;
import io.verbena.hardware.abi.IbvSrqInitAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.device.AdapterFacts;
import io.verbena.hardware.provider.request.RequestRing;
import io.verbena.hardware.provider.request.SharedSlots;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.objects.Ownership;
import io.verbena.objects.PostingRules;
import io.verbena.objects.QueuePairRules;
import io.verbena.objects.Template;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.SharedReceiveQueue;
import io.verbena.verbs.SharedReceiveQueueOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkRequest;
import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;

/** A shared receive queue of an adapter. A receive counts as available until the entry of its message is fetched. */
final class HardwareSharedReceiveQueue implements SharedReceives {

    private static final int LIMIT_ONLY = 2;

    private final AdapterDomain domain;
    private final SharedReceiveQueueOptions options;
    private final long srq;
    private final int id;
    private final SharedSlots slots;
    private final RequestRing ring;
    private final AtomicInteger users = new AtomicInteger();
    private volatile boolean closed;

    HardwareSharedReceiveQueue(AdapterDomain domain, SharedReceiveQueueOptions options) {
        this.domain = domain;
        this.options = options;
        AdapterFacts facts = domain.rnic().facts();
        QueuePairRules.range("the depth of an SRQ", options.depth(), 1, facts.limit(AdapterFacts.Limit.MAX_SRQ_WR));
        QueuePairRules.range("maxScatter", options.maxScatter(), 1, facts.limit(AdapterFacts.Limit.MAX_SRQ_SGE));
        slots = new SharedSlots(options.depth());
        ring = RequestRing.receives(options.depth(), options.maxScatter());
        try (Arena arena = Arena.ofConfined()) {
            long init = arena.allocate(IbvSrqInitAttr.STRUCT.sizeBytes(), 8).address();
            Native.putInt(init + IbvSrqInitAttr.ATTR + IbvSrqAttr.MAX_WR, options.depth());
            Native.putInt(init + IbvSrqInitAttr.ATTR + IbvSrqAttr.MAX_SGE, options.maxScatter());
            srq = domain.libraries().call(NativeFunction.CREATE_SRQ, domain.pd(), init);
        }
        id = domain.rnic().add(this);
    }

    static HardwareSharedReceiveQueue of(SharedReceiveQueue srq) {
        if (srq instanceof HardwareSharedReceiveQueue hardwareSharedReceiveQueue) {
            return hardwareSharedReceiveQueue;
        }
        throw Ownership.foreign("shared receive queue");
    }

    @Override
    public long srq() {
        return srq;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public SharedSlots slots() {
        return slots;
    }

    @Override
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    @Override
    public boolean postReceive(long wrId, MemoryRegion region, long offset, int length) {
        HardwareRegion hardwareRegion = HardwareRegion.of(region, domain);
        PostingRules.range(hardwareRegion.length(), offset, length);
        int slot = begin(wrId);
        if (slot < 0) {
            return false;
        }
        ring.element(slot, hardwareRegion.address() + offset, length, hardwareRegion.localKey());
        return give(slot);
    }

    @Override
    public boolean post(WorkRequest receive) {
        Template template = Template.receiveOf(receive, domain, options.maxScatter());
        int slot = begin(template.wqe().wrId());
        if (slot < 0) {
            return false;
        }
        ring.receiveElements(slot, template);
        return give(slot);
    }

    private int begin(long wrId) {
        checkOpen();
        int slot = slots.take(wrId);
        if (slot >= 0) {
            long _ = ring.begin(slot, WorkId.shared(id, slot));
        }
        return slot;
    }

    private boolean give(int slot) {
        int errno = domain.rnic().adapter().calls().postSrqRecv(srq, ring.request(slot), ring.bad());
        if (errno == 0) {
            return true;
        }
        long _ = slots.release(slot);
        if (errno == Errno.ENOMEM) {
            return false;
        }
        throw new VerbsException("The adapter refused a receive of an SRQ: " + Errno.text(errno) + ".");
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the shared receive queue is closed");
        }
        domain.rnic().checkOpen();
    }

    @Override
    public WorkRequest newWorkRequest() {
        return Template.receive(domain, options.maxScatter());
    }

    @Override
    public int capacity() {
        return slots.depth();
    }

    @Override
    public int available() {
        return slots.used();
    }

    @Override
    public void armLimit(int limit) {
        QueuePairRules.range("the limit", limit, 0, slots.depth());
        checkOpen();
        try (Arena arena = Arena.ofConfined()) {
            long attributes = arena.allocate(IbvSrqAttr.STRUCT.sizeBytes(), 8).address();
            Native.putInt(attributes + IbvSrqAttr.SRQ_LIMIT, limit);
            domain.libraries().call(NativeFunction.MODIFY_SRQ, srq, attributes, LIMIT_ONLY);
        }
    }

    synchronized void enter(AdapterDomain of) {
        if (domain != of) {
            throw new IllegalArgumentException("the SRQ belongs to another protection domain than the queue pair");
        }
        checkOpen();
        users.incrementAndGet();
    }

    void leave() {
        users.decrementAndGet();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        if (users.get() > 0) {
            throw new IllegalStateException(users.get() + " queue pairs use this SRQ; close them first");
        }
        domain.libraries().call(NativeFunction.DESTROY_SRQ, srq);
        closed = true;
        domain.rnic().forget(this);
        domain.left();
    }
}
