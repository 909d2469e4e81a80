package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvWc;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.provider.request.SharedSlots;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.hardware.provider.request.Statuses;
import io.verbena.hardware.provider.request.WorkId;
import io.verbena.verbs.CompletionStatus;

/**
 * Entries of a CQ that are not for the program: of requests that were signalled only to free their slots, and of closed queues. They are
 * dropped when they are fetched, or with the entry before them, so that a CQ whose wait ends has an entry for the program.
 */
final class HiddenEntries {

    private final AdapterContext rnic;

    HiddenEntries(AdapterContext rnic) {
        this.rnic = rnic;
    }

    /** If the entry is hidden, frees what it completes. The entries before it must have been taken. */
    boolean drop(long entry) {
        long id = Native.longAt(entry + IbvWc.WR_ID);
        return WorkId.isShared(id) ? dropShared(entry, id) : dropOwn(entry, id);
    }

    private boolean dropOwn(long entry, long id) {
        PostedWork from = rnic.queuePair(WorkId.queue(id));
        if (from == null) {
            return true;
        }
        int slot = WorkId.slot(id);
        SlotTable table = WorkId.isReceive(id) ? from.receives() : from.sends();
        if (Statuses.of(Native.intAt(entry + IbvWc.STATUS)) != CompletionStatus.SUCCESS || table.reported(slot)) {
            return false;
        }
        table.completeThrough(slot);
        return true;
    }

    private boolean dropShared(long entry, long id) {
        SharedSlots slots = rnic.sharedSlots(WorkId.queue(id));
        if (slots != null && rnic.withNumber(Native.intAt(entry + IbvWc.QP_NUM)) != null) {
            return false;
        }
        if (slots != null) {
            long _ = slots.release(WorkId.slot(id));
        }
        return true;
    }
}
