package io.verbena.verbs;

import java.lang.foreign.MemorySegment;

/**
 * A work request as a template: built once, posted often, changed between posts at will. Posting copies it; nothing is
 * allocated. One of the methods named after an operation comes first and clears the rest.
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

    /** The original value is stored, in the machine's byte order, at the one element of the list (8 bytes). */
    WorkRequest compareAndSwap(long remoteAddress, int rkey, long expected, long desired);

    /** The original value is stored, in the machine's byte order, at the one element of the list (8 bytes). */
    WorkRequest fetchAndAdd(long remoteAddress, int rkey, long addend);

    /** Binds the window's key to a range of a region with rights for peers. */
    /**
     * BindRKey by work.
     *
     * @throws IllegalArgumentException when the range is not within the region
     */
    WorkRequest bind(MemoryWindow window, MemoryRegion region, long offset, long length, AccessRight... rights);

    WorkRequest unbind(MemoryWindow window);

    WorkRequest localInvalidate(int key);

    WorkRequest delay(long delayNs);

    WorkRequest receive();

    /** Your own number for this work, given back by its completion. */
    WorkRequest id(long wrId);

    WorkRequest flags(WrFlags flags);

    /** Adds an element to the gather or scatter list. */
    WorkRequest element(MemoryRegion region, long offset, int length);

    /** Adds an element that is read (Send, Write); the same as {@link #element}. */
    default WorkRequest gather(MemoryRegion region, long offset, int length) {
        return element(region, offset, length);
    }

    /** Adds an element that is written (receive, Read); the same as {@link #element}. */
    default WorkRequest scatter(MemoryRegion region, long offset, int length) {
        return element(region, offset, length);
    }

    /** Instead of a list: bytes of any memory, copied now and sent inline; at most the queue pair's maximum. */
    WorkRequest inlineData(MemorySegment data, long offset, int length);

    /** Empties the list. */
    WorkRequest noElements();

    /** Changes where a Write, Read or atomic goes, and nothing else. */
    WorkRequest remote(long remoteAddress, int rkey);

    /** Datagram services: destination, queue pair and Q_Key there. */
    WorkRequest to(AddressHandle destination, int queuePairNumber, int qkey);

    /** What kind of work it is. */
    WorkOpcode opcode();
}
