package io.verbena.hardware.abi;

/**
 * A completion queue. {@code struct ibv_cq} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context    8
 *     8 channel    8
 *    16 cq_context 8
 *    24 … (not used)
 *    28 cqe        4
 *    32 … (not used)
 * </pre>
 */
public final class IbvCq {

    public static final Struct STRUCT = new Struct("ibv_cq", 128);

    public static final int CONTEXT = STRUCT.at("context", 0);
    public static final int CHANNEL = STRUCT.at("channel", 8);
    public static final int CQ_CONTEXT = STRUCT.at("cq_context", 16);
    public static final int CQE = STRUCT.at("cqe", 28);

    private IbvCq() {}
}
