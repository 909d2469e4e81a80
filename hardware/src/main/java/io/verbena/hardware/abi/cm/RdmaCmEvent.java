package io.verbena.hardware.abi.cm;

import io.verbena.hardware.abi.Struct;

/**
 * An event of the connection manager. The members from 24 on are a union: connections and datagrams. {@code struct rdma_cm_event} of rdma/rdma_cma.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 id                             8
 *     8 listen_id                      8
 *    16 event                          4
 *    20 status                         4
 *    24 param.conn.private_data        8
 *    24 param.ud.private_data          8
 *    32 param.conn.private_data_len    1
 *    32 param.ud.private_data_len      1
 *    33 param.conn.responder_resources 1
 *    34 param.conn.initiator_depth     1
 *    35 … (not used)
 *    40 param.conn.qp_num              4
 *    40 param.ud.ah_attr               32
 *    72 param.ud.qp_num                4
 *    76 param.ud.qkey                  4
 * </pre>
 */
public final class RdmaCmEvent {

    public static final Struct STRUCT = new Struct("rdma_cm_event", 80);

    public static final int ID = STRUCT.at("id", 0);
    public static final int LISTEN_ID = STRUCT.at("listen_id", 8);
    public static final int EVENT = STRUCT.at("event", 16);
    public static final int STATUS = STRUCT.at("status", 20);
    public static final int CONN_PRIVATE_DATA = STRUCT.at("param.conn.private_data", 24);
    public static final int CONN_PRIVATE_DATA_LEN = STRUCT.at("param.conn.private_data_len", 32);
    public static final int CONN_RESPONDER_RESOURCES = STRUCT.at("param.conn.responder_resources", 33);
    public static final int CONN_INITIATOR_DEPTH = STRUCT.at("param.conn.initiator_depth", 34);
    public static final int CONN_QP_NUM = STRUCT.at("param.conn.qp_num", 40);
    public static final int UD_PRIVATE_DATA = STRUCT.at("param.ud.private_data", 24);
    public static final int UD_PRIVATE_DATA_LEN = STRUCT.at("param.ud.private_data_len", 32);
    public static final int UD_AH_ATTR = STRUCT.at("param.ud.ah_attr", 40);
    public static final int UD_QP_NUM = STRUCT.at("param.ud.qp_num", 72);
    public static final int UD_QKEY = STRUCT.at("param.ud.qkey", 76);

    private RdmaCmEvent() {}
}
