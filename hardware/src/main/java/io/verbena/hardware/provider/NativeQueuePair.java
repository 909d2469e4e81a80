package io.verbena.hardware.provider;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvQp;
import io.verbena.hardware.abi.IbvQpCap;
import io.verbena.hardware.abi.IbvQpInitAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.Arena;

/** The ibv_qp of a queue pair. Another one takes its place when the connection survives its transport. */
final class NativeQueuePair {

    private static final long NONE = 0;

    private final AdapterDomain domain;
    private final QueuePairOptions options;
    private final int inlineBytes;
    private volatile long qp;
    private volatile int number;

    /** Makes an ibv_qp, in RESET. */
    NativeQueuePair(AdapterDomain domain, QueuePairOptions options) {
        this.domain = domain;
        this.options = options;
        inlineBytes = make();
    }

    /** Returns how many inline bytes the adapter has granted. */
    private int make() {
        try (Arena arena = Arena.ofConfined()) {
            long init = arena.allocate(IbvQpInitAttr.STRUCT.sizeBytes(), 8).address();
            fill(init);
            long created = call(init);
            number = Native.intAt(created + IbvQp.QP_NUM);
            qp = created;
            return Native.intAt(init + IbvQpInitAttr.CAP + IbvQpCap.MAX_INLINE_DATA);
        }
    }

    /** The adapter's limit of inline data is not stated anywhere: without the wanted amount, none is used. */
    private long call(long init) {
        long inline = init + IbvQpInitAttr.CAP + IbvQpCap.MAX_INLINE_DATA;
        if (Native.intAt(inline) > 0) {
            try {
                return domain.libraries().call(NativeFunction.CREATE_QP, domain.pd(), init);
            } catch (CallFailedException e) {
                if (e.errno() != Errno.EINVAL) {
                    throw e;
                }
                Native.putInt(inline, 0);
            }
        }
        return domain.libraries().call(NativeFunction.CREATE_QP, domain.pd(), init);
    }

    private void fill(long init) {
        Native.putLong(
                init + IbvQpInitAttr.SEND_CQ,
                HardwareCompletionQueue.of(options.sendCq(), domain.rnic()).cq());
        Native.putLong(
                init + IbvQpInitAttr.RECV_CQ,
                HardwareCompletionQueue.of(options.receiveCq(), domain.rnic()).cq());
        long cap = init + IbvQpInitAttr.CAP;
        Native.putInt(cap + IbvQpCap.MAX_SEND_WR, options.sendDepth());
        Native.putInt(cap + IbvQpCap.MAX_SEND_SGE, options.maxGather());
        options.sharedReceiveQueue()
                .ifPresentOrElse(
                        srq -> Native.putLong(
                                init + IbvQpInitAttr.SRQ,
                                HardwareSharedReceiveQueue.of(srq).srq()),
                        () -> {
                            Native.putInt(cap + IbvQpCap.MAX_RECV_WR, options.receiveDepth());
                            Native.putInt(cap + IbvQpCap.MAX_RECV_SGE, options.maxScatter());
                        });
        Native.putInt(cap + IbvQpCap.MAX_INLINE_DATA, options.maxInlineBytes());
        Native.putInt(
                init + IbvQpInitAttr.QP_TYPE,
                switch (options.service()) {
                    case UNRELIABLE_CONNECTION -> 3;
                    case UNRELIABLE_DATAGRAM -> 4;
                    default -> 2;
                });
    }

    /** The ibv_qp; 0 if there is none now. */
    long qp() {
        return qp;
    }

    /** Whether there is one now. */
    boolean exists() {
        return qp != NONE;
    }

    /** The number of the ibv_qp, or of the last one. */
    int number() {
        return number;
    }

    int inlineBytes() {
        return inlineBytes;
    }

    /**
     * Destroys the ibv_qp, of which no entry is left in the adapter, and makes another one, in RESET.
     *
     * @throws VerbsException if that fails; there is none then
     */
    void replace() {
        destroy();
        int granted = make();
        if (granted < inlineBytes) {
            destroy();
            throw new VerbsException(
                    "The adapter grants " + granted + " inline bytes now, and had granted " + inlineBytes + ".");
        }
    }

    void destroy() {
        long destroyed = qp;
        qp = NONE;
        if (destroyed != NONE) {
            domain.libraries().call(NativeFunction.DESTROY_QP, destroyed);
        }
    }
}
