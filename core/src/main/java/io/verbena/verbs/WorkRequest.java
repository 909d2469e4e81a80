package io.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A reusable template of a work request: built once, posted often, changed between posts. Posting copies it and
 * allocates nothing. A method named after an operation comes first and resets the template. Methods return the template
 * itself. Not thread-safe.
 *
 * <pre>{@code
 * WorkRequest hello = qp.newWorkRequest().send().gather(header, 0, 16).gather(body, 0, 4000).id(7);
 * qp.post(hello);
 * }</pre>
 */
public interface WorkRequest {

    WorkRequest send();

    WorkRequest sendWithInvalidate(int remoteKey);

    WorkRequest sendWithImmediate(long immediate);

    WorkRequest write(long remoteAddress, int rkey);

    WorkRequest writeWithImmediate(long remoteAddress, int rkey, long immediate);

    WorkRequest read(long remoteAddress, int rkey);

    WorkRequest readWithInvalidate(long remoteAddress, int rkey, int localKeyToInvalidate);

    /** The original value is stored, in native byte order, in the 8 bytes of the single element of the list. */
    WorkRequest compareAndSwap(long remoteAddress, int rkey, long expected, long desired);

    /** The original value is stored, in native byte order, in the 8 bytes of the single element of the list. */
    WorkRequest fetchAndAdd(long remoteAddress, int rkey, long addend);

    /**
     * BindRKey by work: binds the key of the window to a range of a region, with these rights for peers.
     *
     * @throws IllegalArgumentException if the range is not within the region
     */
    WorkRequest bind(MemoryWindow window, MemoryRegion region, long offset, long length, AccessRight... rights);

    WorkRequest unbind(MemoryWindow window);

    WorkRequest localInvalidate(int key);

    /** Delays the following work requests of the queue by at least this time. */
    WorkRequest delay(long delayNs);

    WorkRequest receive();

    /** Number chosen by the application, returned by the completion. */
    WorkRequest id(long wrId);

    WorkRequest flags(WrFlags flags);

    /** Adds an element to the gather or scatter list. */
    WorkRequest element(MemoryRegion region, long offset, int length);

    /** Adds an element to the gather list of a Send or Write; the same as {@link #element}. */
    default WorkRequest gather(MemoryRegion region, long offset, int length) {
        return element(region, offset, length);
    }

    /** Adds an element to the scatter list of a receive or Read; the same as {@link #element}. */
    default WorkRequest scatter(MemoryRegion region, long offset, int length) {
        return element(region, offset, length);
    }

    /**
     * Uses inline data instead of a list: the bytes are copied now, from any memory; at most
     * {@link QueuePairOptions#maxInlineBytes()}.
     *
     * @throws IllegalArgumentException if there are too many bytes
     */
    WorkRequest inlineData(MemorySegment data, long offset, int length);

    /** Removes all elements and inline data. */
    WorkRequest noElements();

    /** Changes only the remote address of a Write, Read or atomic. */
    WorkRequest remote(long remoteAddress, int rkey);

    /**
     * Datagram services: sets the destination, with its queue pair number and Q_Key. Every request of such a queue pair needs
     * one. The destination stays until a method named after an operation resets the template.
     *
     * @throws IllegalArgumentException if the address handle belongs to another protection domain
     * @throws UnsupportedOperationException if the transport has no datagram services
     */
    WorkRequest to(AddressHandle destination, int queuePairNumber, int qkey);

    /**
     * Reliable datagrams: sets the context of the destination's RNIC, and the number and Q_Key of the destination's queue pair.
     * Every request of such a queue pair needs one. The destination stays until a method named after an operation resets
     * the template.
     *
     * @throws IllegalArgumentException if the context belongs to another RNIC
     */
    default WorkRequest to(EndToEndContext context, int queuePairNumber, int qkey) {
        throw new UnsupportedOperationException("This RNIC has no reliable datagrams.");
    }

    /** The operation of the template. */
    WorkOpcode opcode();
}
