package io.verbena.hardware.abi;

/**
 * Attributes of a new queue pair. {@code struct ibv_qp_init_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 qp_context 8
 *     8 send_cq    8
 *    16 recv_cq    8
 *    24 srq        8
 *    32 cap        20
 *    52 qp_type    4
 *    56 sq_sig_all 4
 *    60 … (not used)
 * </pre>
 */
public final class IbvQpInitAttr {

    public static final Struct STRUCT = new Struct("ibv_qp_init_attr", 64);

    public static final int QP_CONTEXT = STRUCT.at("qp_context", 0);
    public static final int SEND_CQ = STRUCT.at("send_cq", 8);
    public static final int RECV_CQ = STRUCT.at("recv_cq", 16);
    public static final int SRQ = STRUCT.at("srq", 24);
    public static final int CAP = STRUCT.at("cap", 32);
    public static final int QP_TYPE = STRUCT.at("qp_type", 52);
    public static final int SQ_SIG_ALL = STRUCT.at("sq_sig_all", 56);

    private IbvQpInitAttr() {}
}
