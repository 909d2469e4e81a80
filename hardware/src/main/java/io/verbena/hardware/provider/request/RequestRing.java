package io.verbena.hardware.provider.request;

import io.verbena.hardware.abi.IbvRecvWr;
import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.IbvSge;
import io.verbena.hardware.abi.Native;
import io.verbena.objects.NamedRegion;
import io.verbena.objects.Template;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The native work requests of one queue: for each slot an ibv_send_wr or ibv_recv_wr, its list of elements and its inline data. A slot
 * is written when its request is posted and is free when the request is done, so that a batch, and inline data beyond what the
 * adapter takes, stay where they are until then.
 */
public final class RequestRing {

    private static final int ALIGNMENT = 64;

    /** Freed when no poster can reach this object any more: a post may be under way when another thread closes the queue pair. */
    private final Arena arena = Arena.ofAuto();

    private final MemorySegment memory;
    private final long address;
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
        memory = arena.allocate(totalBytes, ALIGNMENT);
        address = memory.address();
        bad = arena.allocate(Long.BYTES, Long.BYTES).address();
    }

    /** For a send queue. */
    public static RequestRing sends(int depth, int elements, int inlineBytes) {
        return new RequestRing(depth, IbvSendWr.STRUCT.sizeBytes(), Math.max(1, elements), inlineBytes);
    }

    /** For a receive queue. */
    public static RequestRing receives(int depth, int elements) {
        return new RequestRing(depth, IbvRecvWr.STRUCT.sizeBytes(), Math.max(1, elements), 0);
    }

    public long address() {
        return address;
    }

    public long totalBytes() {
        return totalBytes;
    }

    /** Where a post writes the address of the first request that it refused. */
    public long bad() {
        return bad;
    }

    /** The request of a slot. */
    public long request(int slot) {
        return address + slot * slotBytes;
    }

    /** The inline data of a slot. */
    public long inline(int slot) {
        return address + inlineOffset(slot);
    }

    private long inlineOffset(int slot) {
        return slot * slotBytes + headBytes + (long) elements * IbvSge.STRUCT.sizeBytes();
    }

    /** Begins the request of a slot; id, next, list and the number of elements have the same places in both structures. */
    public long begin(int slot, long id) {
        long request = request(slot);
        Native.putLong(request + IbvSendWr.WR_ID, id);
        Native.putLong(request + IbvSendWr.NEXT, 0);
        Native.putLong(request + IbvSendWr.SG_LIST, request + headBytes);
        Native.putInt(request + IbvSendWr.NUM_SGE, 0);
        return request;
    }

    /** Links the requests of slots in this order, for one call. */
    public void link(int slot, int next) {
        Native.putLong(request(slot) + IbvSendWr.NEXT, request(next));
    }

    /** Makes the request of a slot the last one of a call. */
    public void unlink(int slot) {
        Native.putLong(request(slot) + IbvSendWr.NEXT, 0);
    }

    /** Makes the request of a slot of a send queue a Write of nothing, so that its entry comes in its turn. */
    public void empty(int slot, int sendFlags) {
        long request = request(slot);
        Native.putInt(request + IbvSendWr.OPCODE, 0);
        Native.putInt(request + IbvSendWr.NUM_SGE, 0);
        Native.putInt(request + IbvSendWr.SEND_FLAGS, sendFlags);
        SendOperands.remote(request, 0, 0);
    }

    /** The ibv_wr_opcode of the request of a slot of a send queue. */
    public int opcode(int slot) {
        return Native.intAt(request(slot) + IbvSendWr.OPCODE);
    }

    /** Adds the elements of a template; empty ones, which not every adapter takes, are left out. */
    public void elements(int slot, Template from) {
        for (int i = 0; i < from.elements(); i++) {
            int length = from.wqe().elementLength(i);
            if (length > 0) {
                NamedRegion region = from.region(i);
                element(slot, region.address() + from.wqe().elementOffset(i), length, region.localKey());
            }
        }
    }

    /** The same for a receive: a list without elements is refused by some adapters, one element of length 0 by none. */
    public void receiveElements(int slot, Template from) {
        elements(slot, from);
        if (from.length() == 0) {
            element(slot, address, 0, 0);
        }
    }

    /** Copies the payload of an inline template to the slot. */
    public void inline(int slot, Template from) {
        from.copyInline(memory, inlineOffset(slot));
    }

    /** Copies the payload of an inline request to the slot. */
    public void inline(int slot, NamedRegion from, long offset, int length) {
        from.copyInline(offset, memory, inlineOffset(slot), length);
    }

    /** Adds an element to the request of a slot. */
    public void element(int slot, long of, int length, int key) {
        long request = request(slot);
        int count = Native.intAt(request + IbvSendWr.NUM_SGE);
        long element = request + headBytes + (long) count * IbvSge.STRUCT.sizeBytes();
        Native.putLong(element + IbvSge.ADDR, of);
        Native.putInt(element + IbvSge.LENGTH, length);
        Native.putInt(element + IbvSge.LKEY, key);
        Native.putInt(request + IbvSendWr.NUM_SGE, count + 1);
    }
}
