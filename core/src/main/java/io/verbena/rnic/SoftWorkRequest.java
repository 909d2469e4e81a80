package io.verbena.rnic;

import io.verbena.memory.RegionTable;
import io.verbena.queue.Wqe;
import io.verbena.rnic.datagram.SoftEndToEndContext;
import io.verbena.rnic.memory.DomainObjects;
import io.verbena.rnic.memory.KeyHolder;
import io.verbena.rnic.memory.SoftAddressHandle;
import io.verbena.rnic.memory.SoftMemoryRegion;
import io.verbena.rnic.memory.SoftMemoryWindow;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/** A template: a work queue element outside any queue, which is copied when it is posted. */
final class SoftWorkRequest implements WorkRequest {

    private final DomainObjects domain;
    private final int maxElements;
    private final int maxInlineBytes;
    private final Wqe wqe;
    private final SoftMemoryRegion[] regions;
    private WorkOpcode opcode = WorkOpcode.SEND;
    private WrFlags flags = WrFlags.SIGNALLED;
    private int elements;
    private long length;

    /** The window of a bind or unbind. */
    private Optional<SoftMemoryWindow> target = Optional.empty();

    /** The destination of a datagram. */
    private Optional<SoftAddressHandle> addressHandle = Optional.empty();

    /** The context of a reliable datagram. */
    private Optional<SoftEndToEndContext> context = Optional.empty();

    /** Whether the payload is stored in the template. */
    private boolean ownsData;

    SoftWorkRequest(DomainObjects domain, int maxElements, int maxInlineBytes) {
        this.domain = domain;
        this.maxInlineBytes = maxInlineBytes;
        this.maxElements = maxElements;
        this.regions = new SoftMemoryRegion[maxElements];
        wqe = Wqe.template(maxElements, maxInlineBytes);
        begin(WorkOpcode.SEND);
    }

    private SoftWorkRequest begin(WorkOpcode newOpcode) {
        opcode = newOpcode;
        flags = WrFlags.SIGNALLED;
        elements = 0;
        length = 0;
        ownsData = false;
        target = Optional.empty();
        addressHandle = Optional.empty();
        context = Optional.empty();
        wqe.clear(newOpcode, flags);
        return this;
    }

    @Override
    public WorkRequest send() {
        return begin(WorkOpcode.SEND);
    }

    @Override
    public WorkRequest sendWithInvalidate(int remoteKey) {
        begin(WorkOpcode.SEND_WITH_INVALIDATE);
        wqe.rkey(remoteKey);
        return this;
    }

    @Override
    public WorkRequest sendWithImmediate(long immediate) {
        begin(WorkOpcode.SEND_WITH_IMMEDIATE);
        wqe.operand1(immediate);
        return this;
    }

    @Override
    public WorkRequest write(long remoteAddress, int rkey) {
        return begin(WorkOpcode.WRITE).remote(remoteAddress, rkey);
    }

    @Override
    public WorkRequest writeWithImmediate(long remoteAddress, int rkey, long immediate) {
        begin(WorkOpcode.WRITE_WITH_IMMEDIATE).remote(remoteAddress, rkey);
        wqe.operand1(immediate);
        return this;
    }

    @Override
    public WorkRequest read(long remoteAddress, int rkey) {
        return begin(WorkOpcode.READ).remote(remoteAddress, rkey);
    }

    @Override
    public WorkRequest readWithInvalidate(long remoteAddress, int rkey, int localKeyToInvalidate) {
        begin(WorkOpcode.READ_WITH_INVALIDATE).remote(remoteAddress, rkey);
        wqe.otherKey(localKeyToInvalidate);
        return this;
    }

    @Override
    public WorkRequest compareAndSwap(long remoteAddress, int rkey, long expected, long desired) {
        begin(WorkOpcode.COMPARE_AND_SWAP).remote(remoteAddress, rkey);
        wqe.operand1(expected).operand2(desired);
        return this;
    }

    @Override
    public WorkRequest fetchAndAdd(long remoteAddress, int rkey, long addend) {
        begin(WorkOpcode.FETCH_AND_ADD).remote(remoteAddress, rkey);
        wqe.operand1(addend);
        return this;
    }

    @Override
    public WorkRequest bind(MemoryWindow window, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        SoftMemoryWindow bound = SoftMemoryWindow.of(window, domain);
        SoftMemoryRegion to = SoftMemoryRegion.of(region, domain);
        PostingRules.bindable(to, offset, bytes);
        begin(WorkOpcode.BIND);
        target = Optional.of(bound);
        regions[0] = to;
        wqe.remoteAddress(offset).otherKey(to.localKey()).operand1(bytes).operand2(RegionTable.bits(List.of(rights)));
        return this;
    }

    @Override
    public WorkRequest unbind(MemoryWindow window) {
        SoftMemoryWindow bound = SoftMemoryWindow.of(window, domain);
        begin(WorkOpcode.UNBIND);
        target = Optional.of(bound);
        return this;
    }

    @Override
    public WorkRequest localInvalidate(int key) {
        begin(WorkOpcode.LOCAL_INVALIDATE);
        wqe.rkey(key);
        return this;
    }

    @Override
    public WorkRequest delay(long delayNs) {
        if (delayNs < 0) {
            throw new IllegalArgumentException("the delay must not be negative: " + delayNs + " ns");
        }
        begin(WorkOpcode.DELAY);
        wqe.operand1(delayNs);
        return this;
    }

    @Override
    public WorkRequest receive() {
        return begin(WorkOpcode.RECEIVE);
    }

    @Override
    public WorkRequest id(long wrId) {
        wqe.wrId(wrId);
        return this;
    }

    @Override
    public WorkRequest flags(WrFlags newFlags) {
        flags = ownsData && !newFlags.inline() ? newFlags.withInline() : newFlags;
        wqe.flags(flags);
        return this;
    }

    @Override
    public WorkRequest element(MemoryRegion region, long offset, int bytes) {
        SoftMemoryRegion softMemoryRegion = SoftMemoryRegion.of(region, domain);
        PostingRules.range(softMemoryRegion, offset, bytes);
        if (ownsData) {
            throw new IllegalStateException(
                    "the template already contains inline data; call noElements() to remove it");
        }
        if (elements == maxElements) {
            throw new IllegalArgumentException("the list has " + maxElements + " elements at most");
        }
        if (length + bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("a message has at most " + Integer.MAX_VALUE + " bytes");
        }
        regions[elements++] = softMemoryRegion;
        length += bytes;
        wqe.addElement(softMemoryRegion.localKey(), offset, bytes);
        return this;
    }

    @Override
    public WorkRequest inlineData(MemorySegment data, long offset, int bytes) {
        PostingRules.inlineFits(opcode, bytes, maxInlineBytes);
        noElements();
        MemorySegment.copy(data, offset, wqe.bytes(), wqe.inlineOffset(), bytes);
        wqe.inlineLength(bytes);
        length = bytes;
        ownsData = true;
        return flags(flags);
    }

    @Override
    public WorkRequest noElements() {
        elements = 0;
        length = 0;
        ownsData = false;
        wqe.noElements();
        return this;
    }

    @Override
    public WorkRequest remote(long remoteAddress, int rkey) {
        wqe.remoteAddress(remoteAddress).rkey(rkey);
        return this;
    }

    @Override
    public WorkRequest to(AddressHandle destination, int queuePairNumber, int qkey) {
        SoftAddressHandle handle = PostingRules.addressHandle(destination, domain);
        wqe.otherKey(handle.number()).destination(queuePairNumber, qkey);
        addressHandle = Optional.of(handle);
        context = Optional.empty();
        return this;
    }

    @Override
    public WorkRequest to(EndToEndContext destination, int queuePairNumber, int qkey) {
        SoftEndToEndContext softEndToEndContext = PostingRules.context(destination, domain);
        if (context.isEmpty() || context.get() != softEndToEndContext) {
            context = Optional.of(softEndToEndContext);
        }
        wqe.otherKey(softEndToEndContext.number()).destination(queuePairNumber, qkey);
        addressHandle = Optional.empty();
        return this;
    }

    @Override
    public WorkOpcode opcode() {
        return opcode;
    }

    // Posting.

    /** Whether it names the destination of a datagram. */
    boolean addressed() {
        return addressHandle.isPresent();
    }

    /** The context of a reliable datagram. */
    Optional<SoftEndToEndContext> context() {
        return context;
    }

    WrFlags flags() {
        return flags;
    }

    /** Checks the template against the queue that it is posted to. */
    void check(DomainObjects queueDomain, int maxOfQueue, int maxInlineBytes) {
        if (domain != queueDomain) {
            throw new IllegalArgumentException(
                    "the template was created for another protection domain than that of the queue");
        }
        if (elements > maxOfQueue) {
            throw new IllegalArgumentException(
                    "a list of " + elements + " elements is longer than the " + maxOfQueue + " of this queue");
        }
        domain.context().rules().checkWork(opcode, length, elements);
        if (flags.inline()) {
            PostingRules.inlineFits(opcode, (int) length, maxInlineBytes);
        }
        if (addressHandle.isPresent() && addressHandle.get().closed()) {
            throw new IllegalStateException("the address handle of the request is closed");
        }
        if (target.isPresent() && target.get().closed()) {
            throw new IllegalStateException("the memory window is closed");
        }
        int named = opcode == WorkOpcode.BIND ? 1 : elements;
        for (int i = 0; i < named; i++) {
            if (regions[i].closed()) {
                throw new IllegalStateException("a memory region that the request names is closed");
            }
        }
    }

    /** Copies the template to a slot of the send queue of a queue pair. */
    void copyTo(Wqe slot, KeyHolder queuePair) {
        copyTo(slot);
        if (opcode == WorkOpcode.BIND) {
            target.orElseThrow().posted(slot, regions[0], queuePair);
        } else if (opcode == WorkOpcode.UNBIND) {
            target.orElseThrow().unbindPosted(slot, queuePair);
        }
    }

    /** Copies the template to a slot of a receive queue. */
    void copyTo(Wqe slot) {
        if (!flags.inline()) {
            slot.copyFrom(wqe, elements * Wqe.ELEMENT_BYTES);
            return;
        }
        if (ownsData) {
            slot.copyFrom(wqe, (int) length);
            return;
        }
        slot.copyFrom(wqe, 0).noElements();
        int at = 0;
        for (int i = 0; i < elements; i++) {
            int bytes = wqe.elementLength(i);
            PostingRules.copyInline(regions[i], wqe.elementOffset(i), bytes, slot, at);
            at += bytes;
        }
        slot.inlineLength(at);
    }
}
