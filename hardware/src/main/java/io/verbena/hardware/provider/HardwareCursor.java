package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvWc;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.provider.request.SharedSlots;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.Statuses;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.objects.CompletionValues;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.QueuePair;
import org.jspecify.annotations.Nullable;

/** Reads the entries of a CQ. An adapter uses the solicited bit for its events and does not report it. */
final class HardwareCursor extends CompletionValues {

    private static final int WITH_GLOBAL_HEADER = 1;
    private static final int WITH_IMMEDIATE = 2;
    private static final int WITH_INVALIDATE = 8;

    /** What the kernel driver of rxe writes in its place: the flag of the kernel's own interface. No entry of rxe has another meaning for it. */
    private static final int WITH_INVALIDATE_OF_RXE = 4;

    private static final int RECEIVE_WRITE_IMMEDIATE = 129;

    private final HardwareCompletionQueue cq;
    private final int invalidateFlags;
    private @Nullable PostedWork queuePair;
    private int vendorError;

    HardwareCursor(HardwareCompletionQueue cq) {
        this.cq = cq;
        invalidateFlags = WITH_INVALIDATE | (cq.hardware().facts().rxe() ? WITH_INVALIDATE_OF_RXE : 0);
    }

    @Override
    public boolean next() {
        while (true) {
            long entry = cq.nextEntry();
            if (entry == 0) {
                return nextOwn();
            }
            boolean shown = load(entry);
            cq.taken();
            if (shown) {
                cq.countPolled();
                return true;
            }
        }
    }

    private boolean nextOwn() {
        if (cq.own().isEmpty()) {
            return false;
        }
        OwnEntries.Entry entry = cq.own().take();
        if (entry == null) {
            return false;
        }
        at(entry.queuePair());
        wrId = entry.wrId();
        opcode = entry.opcode();
        status = entry.status();
        byteCount = 0;
        hasImmediate = false;
        hasInvalidatedKey = false;
        hasGlobalHeader = false;
        vendorError = 0;
        cq.countPolled();
        return true;
    }

    /** Copies an entry; returns false if it is not for the program: a request that was signalled to free slots, or a closed queue pair. */
    private boolean load(long entry) {
        long slotOfQueue = Native.longAt(entry + IbvWc.WR_ID);
        if (WorkId.isShared(slotOfQueue)) {
            return loadShared(entry, slotOfQueue);
        }
        PostedWork from = cq.hardware().queuePair(WorkId.queue(slotOfQueue));
        if (from == null) {
            return false;
        }
        int slot = WorkId.slot(slotOfQueue);
        SlotTable table = WorkId.isReceive(slotOfQueue) ? from.receives() : from.sends();
        status = Statuses.of(Native.intAt(entry + IbvWc.STATUS));
        boolean failed = status != CompletionStatus.SUCCESS;
        if (failed && !WorkId.isReceive(slotOfQueue)) {
            from.failedSend(slot);
        }
        boolean shown = failed ? table.showsFailure(slot) : table.reported(slot);
        if (shown) {
            at(from);
            wrId = table.wrId(slot);
            opcode = table.opcode(slot);
            loadResult(entry);
            if (opcode == CompletionOpcode.RECEIVE) {
                loadReceive(entry);
                forgetInvalidated(from);
            } else {
                byteCount = table.length(slot);
            }
            if (failed) {
                byteCount = 0;
                from.onFailedWork(status);
            } else if (table.unknown(slot)) {
                byteCount = 0;
                status = CompletionStatus.OUTCOME_UNKNOWN;
            }
        }
        table.completeThrough(slot);
        return shown;
    }

    /** Copies an entry of a receive of an SRQ. It frees the slot even if its queue pair is closed. */
    private boolean loadShared(long entry, long slotOfQueue) {
        SharedSlots slots = cq.hardware().sharedSlots(WorkId.queue(slotOfQueue));
        if (slots == null) {
            return false;
        }
        long number = slots.release(WorkId.slot(slotOfQueue));
        PostedWork from = cq.hardware().withNumber(Native.intAt(entry + IbvWc.QP_NUM));
        if (from == null) {
            return false;
        }
        at(from);
        wrId = number;
        opcode = CompletionOpcode.RECEIVE;
        status = Statuses.of(Native.intAt(entry + IbvWc.STATUS));
        loadResult(entry);
        loadReceive(entry);
        forgetInvalidated(from);
        if (status != CompletionStatus.SUCCESS) {
            byteCount = 0;
            from.onFailedWork(status);
        }
        return true;
    }

    private void at(PostedWork from) {
        queuePair = from;
        queuePairNumber = from.number();
    }

    private void loadResult(long entry) {
        int flags = status == CompletionStatus.SUCCESS ? Native.intAt(entry + IbvWc.WC_FLAGS) : 0;
        int word = Native.intAt(entry + IbvWc.IMM_DATA);
        hasImmediate = (flags & WITH_IMMEDIATE) != 0;
        immediate = Integer.toUnsignedLong(Integer.reverseBytes(word));
        hasInvalidatedKey = (flags & invalidateFlags) != 0;
        invalidatedKey = word;
        hasGlobalHeader = (flags & WITH_GLOBAL_HEADER) != 0;
        vendorError = Native.intAt(entry + IbvWc.VENDOR_ERR);
    }

    /** The peer has invalidated a key of a window. */
    private void forgetInvalidated(PostedWork from) {
        if (hasInvalidatedKey) {
            from.invalidated(invalidatedKey);
        }
    }

    private void loadReceive(long entry) {
        byteCount = Integer.toUnsignedLong(Native.intAt(entry + IbvWc.BYTE_LEN));
        sourceQueuePairNumber = Native.intAt(entry + IbvWc.SRC_QP);
        pkeyIndex = Native.shortAt(entry + IbvWc.PKEY_INDEX);
        sourceLid = Native.shortAt(entry + IbvWc.SLID);
        serviceLevel = Native.byteAt(entry + IbvWc.SL);
        pathBits = Native.byteAt(entry + IbvWc.DLID_PATH_BITS);
        if (hasImmediate) {
            opcode = Native.intAt(entry + IbvWc.OPCODE) == RECEIVE_WRITE_IMMEDIATE
                    ? CompletionOpcode.RECEIVE_WRITE_IMMEDIATE
                    : CompletionOpcode.RECEIVE;
        }
    }

    @Override
    protected @Nullable QueuePair find(int number) {
        PostedWork from = queuePair;
        if (from == null) {
            throw new IllegalStateException("the cursor is at no completion; call next() first");
        }
        return from;
    }

    @Override
    protected String because() {
        return vendorError == 0 ? "" : "The adapter states the error " + vendorError + ".";
    }
}
