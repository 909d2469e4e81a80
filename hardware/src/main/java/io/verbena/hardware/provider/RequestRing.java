package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvRecvWr;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.IbvSge;
import io.verbena.hardware.abi.Native;
import java.lang.foreign.Arena;

/**
 * The native work requests of one queue: for each slot an ibv_send_wr or ibv_recv_wr, its list of elements and its inline data. A slot
 * is written when its request is posted and is free when the request is done, so that a batch, and inline data beyond what the
 * adapter takes, stay where they are until then.
 */
final class RequestRing {

    private static final int ALIGNMENT = 64;

    /** Freed when no poster can reach this object any more: a post may be under way when another thread closes the queue pair. */
    private final Arena arena = Arena.ofAuto();

    private final long memory;
    private final long slotBytes;
    private final long totalBytes;
    private final int headBytes;
    private final int elements;
    private final long bad;

    private RequestRing(int depth, int headBytes, int elements, int inlineBytes) {
        this.headBytes = headBytes;
        this.elements = elements;
        long each = headBytes + (long) elements * IbvSge.STRUCT.sizeBytes() + inlineBytes;
        slotBytes = (each + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        totalBytes = slotBytes * depth;
        memory = arena.allocate(totalBytes, ALIGNMENT).address();
        bad = arena.allocate(Long.BYTES, Long.BYTES).address();
    }

    /** For a send queue. */
    static RequestRing sends(int depth, int elements, int inlineBytes) {
        return new RequestRing(depth, IbvSendWr.STRUCT.sizeBytes(), Math.max(1, elements), inlineBytes);
    }

    /** For a receive queue. */
    static RequestRing receives(int depth, int elements) {
        return new RequestRing(depth, IbvRecvWr.STRUCT.sizeBytes(), Math.max(1, elements), 0);
    }

    long address() {
        return memory;
    }

    long totalBytes() {
        return totalBytes;
    }

    /** Number of elements that a list can have. */
    int elements() {
        return elements;
    }

    /** Where a post writes the address of the first request that it refused. */
    long bad() {
        return bad;
    }

    /** The request of a slot. */
    long request(int slot) {
        return memory + slot * slotBytes;
    }

    /** The inline data of a slot. */
    long inline(int slot) {
        return request(slot) + headBytes + (long) elements * IbvSge.STRUCT.sizeBytes();
    }

    /** Begins the request of a slot; id, next, list and the number of elements have the same places in both structures. */
    long begin(int slot, long id) {
        long request = request(slot);
        Native.putLong(request + IbvSendWr.WR_ID, id);
        Native.putLong(request + IbvSendWr.NEXT, 0);
        Native.putLong(request + IbvSendWr.SG_LIST, request + headBytes);
        Native.putInt(request + IbvSendWr.NUM_SGE, 0);
        return request;
    }

    /** Adds an element to the request of a slot. */
    void element(int slot, long address, int length, int key) {
        long request = request(slot);
        int count = Native.intAt(request + IbvSendWr.NUM_SGE);
        long element = request + headBytes + (long) count * IbvSge.STRUCT.sizeBytes();
        Native.putLong(element + IbvSge.ADDR, address);
        Native.putInt(element + IbvSge.LENGTH, length);
        Native.putInt(element + IbvSge.LKEY, key);
        Native.putInt(request + IbvSendWr.NUM_SGE, count + 1);
    }
}
