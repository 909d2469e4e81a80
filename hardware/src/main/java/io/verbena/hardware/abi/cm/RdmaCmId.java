package io.verbena.hardware.abi.cm;

import io.verbena.hardware.abi.Struct;

/**
 * An identifier of the connection manager: a listener or a connection. {@code struct rdma_cm_id} of rdma/rdma_cma.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 verbs               8
 *     8 channel             8
 *    16 context             8
 *    24 qp                  8
 *    32 route.addr.src_addr 16
 *    48 … (not used)
 *   160 route.addr.dst_addr 16
 *   176 … (not used)
 *   344 ps                  4
 *   348 port_num            1
 *   349 … (not used)
 *   408 qp_type             4
 *   412 … (not used)
 * </pre>
 */
public final class RdmaCmId {

    public static final Struct STRUCT = new Struct("rdma_cm_id", 416);

    public static final int VERBS = STRUCT.at("verbs", 0);
    public static final int CHANNEL = STRUCT.at("channel", 8);
    public static final int CONTEXT = STRUCT.at("context", 16);
    public static final int QP = STRUCT.at("qp", 24);
    public static final int SRC_ADDR = STRUCT.at("route.addr.src_addr", 32);
    public static final int DST_ADDR = STRUCT.at("route.addr.dst_addr", 160);
    public static final int PS = STRUCT.at("ps", 344);
    public static final int PORT_NUM = STRUCT.at("port_num", 348);
    public static final int QP_TYPE = STRUCT.at("qp_type", 408);

    private RdmaCmId() {}
}
