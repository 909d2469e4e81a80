package io.verbena.objects;

import io.verbena.memory.RegistrationRules;
import io.verbena.queue.Wqe;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A template: a work queue element outside any queue, which is copied when it is posted. */
public final class Template implements WorkRequest {

    private final WorkDomain domain;
    private final int maxElements;
    private final int maxInlineBytes;
    private final Wqe wqe;
    private final NamedRegion[] regions;
    private WorkOpcode opcode = WorkOpcode.SEND;
    private WrFlags flags = WrFlags.SIGNALLED;
    private int elements;
    private long length;

    /** The window of a bind or unbind. */
    private @Nullable NamedWindow window;

    /** The destination of a datagram. */
    private @Nullable Destination destination;

    /** The destination, if it is a context. */
    private Optional<EndToEndContext> context = Optional.empty();

    /** Whether the payload is stored in the template. */
    private boolean ownsData;

    private Template(WorkDomain domain, int maxElements, int maxInlineBytes) {
        this.domain = domain;
        this.maxInlineBytes = maxInlineBytes;
        this.maxElements = maxElements;
        regions = new NamedRegion[maxElements];
        wqe = Wqe.template(maxElements, maxInlineBytes);
        begin(WorkOpcode.SEND);
    }

    /** A Send for the queues of a queue pair with these options. */
    public static Template of(WorkDomain domain, QueuePairOptions options) {
        int elements = Math.max(1, Math.max(options.maxGather(), options.maxScatter()));
        return new Template(domain, elements, options.maxInlineBytes());
    }

    /** A receive for an SRQ. */
    public static WorkRequest receive(WorkDomain domain, int maxScatter) {
        return new Template(domain, maxScatter, 0).receive();
    }

    /**
     * The template that a program posts to a queue of this domain.
     *
     * @throws IllegalArgumentException if it is of another adapter or domain
     */
    public static Template of(WorkRequest request, WorkDomain domain) {
        if (!(request instanceof Template template)) {
            throw Ownership.foreign("template");
        }
        if (template.domain != domain) {
            throw new IllegalArgumentException(
                    "the template was created for another protection domain than that of the queue");
        }
        return template;
    }

    /** The receive that a program posts to an SRQ of this domain, checked. */
    public static Template receiveOf(WorkRequest request, WorkDomain domain, int maxScatter) {
        Template template = of(request, domain);
        if (template.opcode != WorkOpcode.RECEIVE) {
            throw new IllegalArgumentException("an SRQ accepts receives only, not " + template.opcode);
        }
        template.check(maxScatter, 0);
        return template;
    }

    private Template begin(WorkOpcode newOpcode) {
        opcode = newOpcode;
        flags = WrFlags.SIGNALLED;
        elements = 0;
        length = 0;
        ownsData = false;
        window = null;
        destination = null;
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
    public WorkRequest bind(MemoryWindow to, MemoryRegion region, long offset, long bytes, AccessRight... rights) {
        NamedWindow bound = domain.window(to);
        NamedRegion of = domain.region(region);
        PostingRules.bindable(of.length(), offset, bytes);
        begin(WorkOpcode.BIND);
        window = bound;
        regions[0] = of;
        wqe.remoteAddress(offset)
                .otherKey(of.localKey())
                .operand1(bytes)
                .operand2(RegistrationRules.bits(List.of(rights)));
        return this;
    }

    @Override
    public WorkRequest unbind(MemoryWindow from) {
        NamedWindow bound = domain.window(from);
        begin(WorkOpcode.UNBIND);
        window = bound;
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
        NamedRegion named = domain.region(region);
        PostingRules.range(named.length(), offset, bytes);
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
        regions[elements++] = named;
        length += bytes;
        wqe.addElement(named.localKey(), offset, bytes);
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
    public WorkRequest to(AddressHandle handle, int queuePairNumber, int qkey) {
        Destination to = domain.destination(handle);
        wqe.otherKey(to.number()).destination(queuePairNumber, qkey);
        destination = to;
        context = Optional.empty();
        return this;
    }

    @Override
    public WorkRequest to(EndToEndContext through, int queuePairNumber, int qkey) {
        Destination to = domain.destination(through);
        if (context.isEmpty() || context.get() != through) {
            context = Optional.of(through);
        }
        wqe.otherKey(to.number()).destination(queuePairNumber, qkey);
        destination = to;
        return this;
    }

    @Override
    public WorkOpcode opcode() {
        return opcode;
    }

    // Posting.

    /** The work queue element. What it has after its header is written by {@link #copyTo} or read by {@link #copyInline}. */
    public Wqe wqe() {
        return wqe;
    }

    public WrFlags flags() {
        return flags;
    }

    /** Number of elements. */
    public int elements() {
        return elements;
    }

    /** Total length in bytes. */
    public int length() {
        return (int) length;
    }

    /** The region of an element; that of a bind is the first. */
    public NamedRegion region(int element) {
        return regions[element];
    }

    /** The window of a bind or unbind. */
    public NamedWindow window() {
        return Objects.requireNonNull(window);
    }

    /** The rights of a bind. */
    public Set<AccessRight> rights() {
        return RegistrationRules.rights((int) wqe.operand2());
    }

    /** Whether it names an address handle. */
    public boolean addressed() {
        return destination != null && context.isEmpty();
    }

    /** The address handle or the context of a datagram. */
    public Destination destination() {
        return Objects.requireNonNull(destination);
    }

    /** The context of a reliable datagram. */
    public Optional<EndToEndContext> context() {
        return context;
    }

    /** Checks the template against the queue that it is posted to. */
    public void check(int maxOfQueue, int maxInlineOfQueue) {
        if (elements > maxOfQueue) {
            throw new IllegalArgumentException(
                    "a list of " + elements + " elements is longer than the " + maxOfQueue + " of this queue");
        }
        domain.checkWork(opcode, length, elements);
        if (flags.inline()) {
            PostingRules.inlineFits(opcode, (int) length, maxInlineOfQueue);
        }
        Destination to = destination;
        if (to != null && context.isEmpty() && to.closed()) {
            throw new IllegalStateException("the address handle of the request is closed");
        }
        NamedWindow named = window;
        if (named != null && named.closed()) {
            throw new IllegalStateException("the memory window is closed");
        }
        int count = opcode == WorkOpcode.BIND ? 1 : elements;
        for (int i = 0; i < count; i++) {
            if (regions[i].closed()) {
                throw new IllegalStateException("a memory region that the request names is closed");
            }
        }
    }

    /** Copies the template to a slot of a queue. */
    public void copyTo(Wqe slot) {
        if (!flags.inline()) {
            slot.copyFrom(wqe, elements * Wqe.ELEMENT_BYTES);
        } else if (ownsData) {
            slot.copyFrom(wqe, (int) length);
        } else {
            slot.copyFrom(wqe, 0).noElements();
            copyInline(slot.bytes(), slot.inlineOffset());
            slot.inlineLength((int) length);
        }
    }

    /** Copies the payload of an inline request. */
    public void copyInline(MemorySegment to, long at) {
        if (ownsData) {
            MemorySegment.copy(wqe.bytes(), wqe.inlineOffset(), to, at, length);
            return;
        }
        long next = at;
        for (int i = 0; i < elements; i++) {
            int bytes = wqe.elementLength(i);
            regions[i].copyInline(wqe.elementOffset(i), to, next, bytes);
            next += bytes;
        }
    }
}
