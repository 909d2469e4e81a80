package io.verbena.hardware.abi;

/**
 * Moderation of a completion queue. {@code struct ibv_modify_cq_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 attr_mask          4
 *     4 moderate.cq_count  2
 *     6 moderate.cq_period 2
 * </pre>
 */
public final class IbvModifyCqAttr {

    public static final Struct STRUCT = new Struct("ibv_modify_cq_attr", 8);

    public static final int ATTR_MASK = STRUCT.at("attr_mask", 0);
    public static final int CQ_COUNT = STRUCT.at("moderate.cq_count", 4);
    public static final int CQ_PERIOD = STRUCT.at("moderate.cq_period", 6);

    private IbvModifyCqAttr() {}
}
