package io.verbena.hardware.abi;

/**
 * Attributes that {@code ibv_modify_qp} changes. {@code struct ibv_qp_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 qp_state            4
 *     4 cur_qp_state        4
 *     8 path_mtu            4
 *    12 path_mig_state      4
 *    16 qkey                4
 *    20 rq_psn              4
 *    24 sq_psn              4
 *    28 dest_qp_num         4
 *    32 qp_access_flags     4
 *    36 cap                 20
 *    56 ah_attr             32
 *    88 alt_ah_attr         32
 *   120 pkey_index          2
 *   122 alt_pkey_index      2
 *   124 en_sqd_async_notify 1
 *   125 sq_draining         1
 *   126 max_rd_atomic       1
 *   127 max_dest_rd_atomic  1
 *   128 min_rnr_timer       1
 *   129 port_num            1
 *   130 timeout             1
 *   131 retry_cnt           1
 *   132 rnr_retry           1
 *   133 alt_port_num        1
 *   134 alt_timeout         1
 *   135 … (not used)
 *   136 rate_limit          4
 *   140 … (not used)
 * </pre>
 */
public final class IbvQpAttr {

    public static final Struct STRUCT = new Struct("ibv_qp_attr", 144);

    public static final int QP_STATE = STRUCT.at("qp_state", 0);
    public static final int CUR_QP_STATE = STRUCT.at("cur_qp_state", 4);
    public static final int PATH_MTU = STRUCT.at("path_mtu", 8);
    public static final int PATH_MIG_STATE = STRUCT.at("path_mig_state", 12);
    public static final int QKEY = STRUCT.at("qkey", 16);
    public static final int RQ_PSN = STRUCT.at("rq_psn", 20);
    public static final int SQ_PSN = STRUCT.at("sq_psn", 24);
    public static final int DEST_QP_NUM = STRUCT.at("dest_qp_num", 28);
    public static final int QP_ACCESS_FLAGS = STRUCT.at("qp_access_flags", 32);
    public static final int CAP = STRUCT.at("cap", 36);
    public static final int AH_ATTR = STRUCT.at("ah_attr", 56);
    public static final int ALT_AH_ATTR = STRUCT.at("alt_ah_attr", 88);
    public static final int PKEY_INDEX = STRUCT.at("pkey_index", 120);
    public static final int ALT_PKEY_INDEX = STRUCT.at("alt_pkey_index", 122);
    public static final int EN_SQD_ASYNC_NOTIFY = STRUCT.at("en_sqd_async_notify", 124);
    public static final int SQ_DRAINING = STRUCT.at("sq_draining", 125);
    public static final int MAX_RD_ATOMIC = STRUCT.at("max_rd_atomic", 126);
    public static final int MAX_DEST_RD_ATOMIC = STRUCT.at("max_dest_rd_atomic", 127);
    public static final int MIN_RNR_TIMER = STRUCT.at("min_rnr_timer", 128);
    public static final int PORT_NUM = STRUCT.at("port_num", 129);
    public static final int TIMEOUT = STRUCT.at("timeout", 130);
    public static final int RETRY_CNT = STRUCT.at("retry_cnt", 131);
    public static final int RNR_RETRY = STRUCT.at("rnr_retry", 132);
    public static final int ALT_PORT_NUM = STRUCT.at("alt_port_num", 133);
    public static final int ALT_TIMEOUT = STRUCT.at("alt_timeout", 134);
    public static final int RATE_LIMIT = STRUCT.at("rate_limit", 136);

    private IbvQpAttr() {}
}
