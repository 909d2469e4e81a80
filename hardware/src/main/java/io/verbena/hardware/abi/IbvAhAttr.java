package io.verbena.hardware.abi;

/**
 * Address of a destination. {@code struct ibv_ah_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 grh.dgid          16
 *    16 grh.flow_label    4
 *    20 grh.sgid_index    1
 *    21 grh.hop_limit     1
 *    22 grh.traffic_class 1
 *    23 … (not used)
 *    24 dlid              2
 *    26 sl                1
 *    27 src_path_bits     1
 *    28 static_rate       1
 *    29 is_global         1
 *    30 port_num          1
 *    31 … (not used)
 * </pre>
 */
public final class IbvAhAttr {

    public static final Struct STRUCT = new Struct("ibv_ah_attr", 32);

    public static final int DGID = STRUCT.at("grh.dgid", 0);
    public static final int FLOW_LABEL = STRUCT.at("grh.flow_label", 16);
    public static final int SGID_INDEX = STRUCT.at("grh.sgid_index", 20);
    public static final int HOP_LIMIT = STRUCT.at("grh.hop_limit", 21);
    public static final int TRAFFIC_CLASS = STRUCT.at("grh.traffic_class", 22);
    public static final int DLID = STRUCT.at("dlid", 24);
    public static final int SL = STRUCT.at("sl", 26);
    public static final int SRC_PATH_BITS = STRUCT.at("src_path_bits", 27);
    public static final int STATIC_RATE = STRUCT.at("static_rate", 28);
    public static final int IS_GLOBAL = STRUCT.at("is_global", 29);
    public static final int PORT_NUM = STRUCT.at("port_num", 30);

    private IbvAhAttr() {}
}
