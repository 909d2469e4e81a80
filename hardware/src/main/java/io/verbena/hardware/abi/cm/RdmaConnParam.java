package io.verbena.hardware.abi.cm;

import io.verbena.hardware.abi.Struct;

/**
 * What one side contributes to a connection. {@code struct rdma_conn_param} of rdma/rdma_cma.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 private_data        8
 *     8 private_data_len    1
 *     9 responder_resources 1
 *    10 initiator_depth     1
 *    11 flow_control        1
 *    12 retry_count         1
 *    13 rnr_retry_count     1
 *    14 srq                 1
 *    15 … (not used)
 *    16 qp_num              4
 *    20 … (not used)
 * </pre>
 */
public final class RdmaConnParam {

    public static final Struct STRUCT = new Struct("rdma_conn_param", 24);

    public static final int PRIVATE_DATA = STRUCT.at("private_data", 0);
    public static final int PRIVATE_DATA_LEN = STRUCT.at("private_data_len", 8);
    public static final int RESPONDER_RESOURCES = STRUCT.at("responder_resources", 9);
    public static final int INITIATOR_DEPTH = STRUCT.at("initiator_depth", 10);
    public static final int FLOW_CONTROL = STRUCT.at("flow_control", 11);
    public static final int RETRY_COUNT = STRUCT.at("retry_count", 12);
    public static final int RNR_RETRY_COUNT = STRUCT.at("rnr_retry_count", 13);
    public static final int SRQ = STRUCT.at("srq", 14);
    public static final int QP_NUM = STRUCT.at("qp_num", 16);

    private RdmaConnParam() {}
}
