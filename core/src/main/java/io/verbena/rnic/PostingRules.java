package io.verbena.rnic;

import io.verbena.memory.CopyResult;
import io.verbena.memory.Region;
import io.verbena.queue.Wqe;
import io.verbena.rnic.context.TransportLimits;
import io.verbena.rnic.datagram.SoftEndToEndContext;
import io.verbena.rnic.memory.DomainObjects;
import io.verbena.rnic.memory.SoftAddressHandle;
import io.verbena.rnic.memory.SoftMemoryRegion;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.ReliableDatagramDomain;
import io.verbena.verbs.WorkOpcode;
import java.util.Optional;

/** Rules for posted requests. Each check fails with a sentence that describes the misuse. */
final class PostingRules {

    /** Atomic operations return one 64-bit word. */
    static final int ATOMIC_BYTES = 8;

    private PostingRules() {}

    /** The bytes must lie within the region. */
    static void range(SoftMemoryRegion region, long offset, int length) {
        if (length < 0 || offset < 0 || offset > region.length() - length) {
            throw new IllegalArgumentException(
                    length + " bytes from " + offset + " are not within a region of " + region.length() + " bytes");
        }
    }

    /** The range that a key is bound to must lie within the region. */
    static void bindable(SoftMemoryRegion region, long offset, long length) {
        if (length < 1 || offset < 0 || offset > region.length() - length) {
            throw new IllegalArgumentException("a key cannot be bound to " + length + " bytes from " + offset
                    + " of a region of " + region.length() + " bytes");
        }
    }

    static void inlineFits(WorkOpcode opcode, int length, int maxBytes) {
        switch (opcode) {
            case SEND, SEND_WITH_INVALIDATE, SEND_WITH_IMMEDIATE, WRITE, WRITE_WITH_IMMEDIATE -> {}
            default ->
                throw new IllegalArgumentException(
                        "a " + opcode + " has no payload that could be inline; post it without that flag");
        }
        if (length > maxBytes) {
            throw new IllegalArgumentException(
                    length + " bytes are more than the " + maxBytes + " inline bytes of this queue pair");
        }
    }

    /** The address handle must belong to the same protection domain and must be open. */
    static SoftAddressHandle addressHandle(AddressHandle handle, DomainObjects domain) {
        if (!(handle instanceof SoftAddressHandle softAddressHandle)) {
            throw domain.context().limits().datagrams()
                    ? new IllegalArgumentException("the address handle was not made by this RNIC")
                    : noDatagrams(domain.context().limits());
        }
        if (softAddressHandle.domain() != domain) {
            throw new IllegalArgumentException(
                    "the address handle belongs to another protection domain than the queue");
        }
        if (softAddressHandle.closed()) {
            throw new IllegalStateException("the address handle is closed");
        }
        return softAddressHandle;
    }

    /** The context must belong to the same RNIC. */
    static SoftEndToEndContext context(EndToEndContext context, DomainObjects domain) {
        if (context instanceof SoftEndToEndContext softEndToEndContext
                && softEndToEndContext.domain().context() == domain.context()) {
            return softEndToEndContext;
        }
        throw new IllegalArgumentException("the end-to-end context was not made by this RNIC");
    }

    /** Reliable datagrams need an established context of the domain of the queue pair. */
    static void addressed(Optional<SoftEndToEndContext> context, Optional<ReliableDatagramDomain> domain) {
        if (context.isEmpty()) {
            throw new IllegalArgumentException("a request of a queue pair with service RELIABLE_DATAGRAM must name its"
                    + " destination; post a template with to(context, …)");
        }
        SoftEndToEndContext named = context.get();
        if (domain.isEmpty() || domain.get() != named.domain()) {
            throw new IllegalArgumentException(
                    "the end-to-end context belongs to another reliable datagram domain than the queue pair");
        }
        if (named.closed()) {
            throw new IllegalStateException("the end-to-end context is closed");
        }
        if (!named.wasEstablished()) {
            throw new IllegalStateException(
                    "the end-to-end context is not established yet; wait with awaitEstablished");
        }
    }

    static UnsupportedOperationException noDatagrams(TransportLimits transport) {
        return new UnsupportedOperationException("The transport " + transport.provider()
                + " has no datagram services, so there are no address handles; connect a queue pair instead.");
    }

    /**
     * Appends payload to the inline data of a slot.
     *
     * @param offsetInSlot number of inline bytes in the slot so far
     */
    static void copyInline(SoftMemoryRegion from, long offset, int length, Wqe wqe, int offsetInSlot) {
        Region region = from.region();
        if (!region.pinned()) {
            throw new IllegalArgumentException(
                    "a pageable region cannot be sent inline, for a page may be away; post it without that flag");
        }
        if (region.copyOut(offset, wqe.bytes(), wqe.inlineOffset() + offsetInSlot, length) != CopyResult.DONE) {
            throw new IllegalStateException("the memory of the region is gone: " + region.lostReason());
        }
    }
}
