package io.verbena.hardware.abi;

/**
 * Sizes and limit of a shared receive queue. {@code struct ibv_srq_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 max_wr    4
 *     4 max_sge   4
 *     8 srq_limit 4
 * </pre>
 */
public final class IbvSrqAttr {

    public static final Struct STRUCT = new Struct("ibv_srq_attr", 12);

    public static final int MAX_WR = STRUCT.at("max_wr", 0);
    public static final int MAX_SGE = STRUCT.at("max_sge", 4);
    public static final int SRQ_LIMIT = STRUCT.at("srq_limit", 8);

    private IbvSrqAttr() {}
}
