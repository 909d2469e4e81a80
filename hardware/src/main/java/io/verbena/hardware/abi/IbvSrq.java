package io.verbena.hardware.abi;

/**
 * A shared receive queue. {@code struct ibv_srq} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context     8
 *     8 srq_context 8
 *    16 pd          8
 *    24 … (not used)
 * </pre>
 */
public final class IbvSrq {

    public static final Struct STRUCT = new Struct("ibv_srq", 128);

    public static final int CONTEXT = STRUCT.at("context", 0);
    public static final int SRQ_CONTEXT = STRUCT.at("srq_context", 8);
    public static final int PD = STRUCT.at("pd", 16);

    private IbvSrq() {}
}
