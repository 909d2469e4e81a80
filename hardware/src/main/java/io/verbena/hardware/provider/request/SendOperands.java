package io.verbena.hardware.provider.request;

import io.verbena.hardware.abi.IbvSendWr;
import io.verbena.hardware.abi.Native;
import io.verbena.objects.Template;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;

/** Writes the operands of a work queue element to an ibv_send_wr. */
public final class SendOperands {

    private SendOperands() {}

    /**
     * Writes what the operation needs besides its elements.
     *
     * @param ah the ibv_ah of a datagram
     */
    public static void write(long request, Template template, long ah) {
        WorkOpcode opcode = template.opcode();
        Wqe wqe = template.wqe();
        switch (opcode) {
            case SEND_WITH_INVALIDATE, LOCAL_INVALIDATE ->
                Native.putInt(request + IbvSendWr.INVALIDATE_RKEY, wqe.rkey());
            case SEND_WITH_IMMEDIATE, WRITE_WITH_IMMEDIATE ->
                Native.putInt(request + IbvSendWr.IMM_DATA, Integer.reverseBytes((int) wqe.operand1()));
            default -> {}
        }
        if (template.addressed()) {
            Native.putLong(request + IbvSendWr.UD_AH, ah);
            Native.putInt(request + IbvSendWr.UD_REMOTE_QPN, wqe.destination());
            Native.putInt(request + IbvSendWr.UD_REMOTE_QKEY, wqe.qkey());
        } else if (wqe.atomic()) {
            atomic(request, wqe.remoteAddress(), wqe.rkey(), wqe.operand1(), wqe.operand2());
        } else {
            remote(request, wqe.remoteAddress(), wqe.rkey());
        }
    }

    /** The memory of the peer. */
    public static void remote(long request, long address, int rkey) {
        Native.putLong(request + IbvSendWr.RDMA_REMOTE_ADDR, address);
        Native.putInt(request + IbvSendWr.RDMA_RKEY, rkey);
    }

    /** The memory of the peer and the values of an atomic. */
    public static void atomic(long request, long address, int rkey, long compareOrAdd, long swap) {
        Native.putLong(request + IbvSendWr.ATOMIC_REMOTE_ADDR, address);
        Native.putLong(request + IbvSendWr.ATOMIC_COMPARE_ADD, compareOrAdd);
        Native.putLong(request + IbvSendWr.ATOMIC_SWAP, swap);
        Native.putInt(request + IbvSendWr.ATOMIC_RKEY, rkey);
    }
}
