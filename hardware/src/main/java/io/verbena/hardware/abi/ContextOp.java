package io.verbena.hardware.abi;

/**
 * The functions that C programs call through pointers at fixed distances from the ibv_context. Those with a positive distance lie in the
 * context and exist in every version. Those with a negative one lie in the {@code verbs_context} around it, which grows at its
 * front: their distance from the ibv_context never changes, and {@code sz} (at -8) tells whether the structure reaches that far.
 *
 * <pre>
 *   -320 query_port        8 ops (32 pointers)
 *                             64 alloc_mw         72 bind_mw        80 dealloc_mw
 *   -184 modify_cq           96 poll_cq         104 req_notify_cq
 *     -8 sz                 168 post_srq_recv   208 post_send   216 post_recv
 *      0 ibv_context        320 abi_compat (all ones: a verbs_context is around)
 * </pre>
 *
 * <p>A pointer is never null: a function that the plug-in lacks is one that returns EOPNOTSUPP.
 */
public enum ContextOp {
    QUERY_PORT(-320),
    MODIFY_CQ(-184),
    ALLOC_MW(64),
    BIND_MW(72),
    DEALLOC_MW(80),
    POLL_CQ(96),
    REQ_NOTIFY_CQ(104),
    POST_SRQ_RECV(168),
    POST_SEND(208),
    POST_RECV(216);

    /** Distance of {@code sz}, the size of the structure around the context. */
    static final int SIZE_DISTANCE = -8;

    private final int distance;

    ContextOp(int distance) {
        this.distance = distance;
    }

    /** Distance in bytes of the pointer from the ibv_context. */
    public int distance() {
        return distance;
    }

    /** Whether the context has the pointer. */
    boolean present(long context) {
        return distance >= 0
                || Native.longAt(context + IbvContext.ABI_COMPAT) == -1
                        && Native.longAt(context + SIZE_DISTANCE) >= IbvContext.STRUCT.sizeBytes() - (long) distance;
    }
}
