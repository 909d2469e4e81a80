package io.verbena.hardware.abi;

/**
 * Attributes of a new shared receive queue. {@code struct ibv_srq_init_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 srq_context 8
 *     8 attr        12
 *    20 … (not used)
 * </pre>
 */
public final class IbvSrqInitAttr {

    public static final Struct STRUCT = new Struct("ibv_srq_init_attr", 24);

    public static final int SRQ_CONTEXT = STRUCT.at("srq_context", 0);
    public static final int ATTR = STRUCT.at("attr", 8);

    private IbvSrqInitAttr() {}
}
