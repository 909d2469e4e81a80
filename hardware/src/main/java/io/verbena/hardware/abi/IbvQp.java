package io.verbena.hardware.abi;

/**
 * A queue pair. {@code struct ibv_qp} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context    8
 *     8 qp_context 8
 *    16 pd         8
 *    24 send_cq    8
 *    32 recv_cq    8
 *    40 srq        8
 *    48 handle     4
 *    52 qp_num     4
 *    56 state      4
 *    60 qp_type    4
 *    64 … (not used)
 * </pre>
 */
public final class IbvQp {

    public static final Struct STRUCT = new Struct("ibv_qp", 160);

    public static final int CONTEXT = STRUCT.at("context", 0);
    public static final int QP_CONTEXT = STRUCT.at("qp_context", 8);
    public static final int PD = STRUCT.at("pd", 16);
    public static final int SEND_CQ = STRUCT.at("send_cq", 24);
    public static final int RECV_CQ = STRUCT.at("recv_cq", 32);
    public static final int SRQ = STRUCT.at("srq", 40);
    public static final int HANDLE = STRUCT.at("handle", 48);
    public static final int QP_NUM = STRUCT.at("qp_num", 52);
    public static final int STATE = STRUCT.at("state", 56);
    public static final int QP_TYPE = STRUCT.at("qp_type", 60);

    private IbvQp() {}
}
