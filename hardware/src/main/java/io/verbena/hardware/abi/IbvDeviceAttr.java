package io.verbena.hardware.abi;

/**
 * Attributes and limits of an adapter. {@code struct ibv_device_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 fw_ver              64
 *    64 node_guid           8
 *    72 sys_image_guid      8
 *    80 max_mr_size         8
 *    88 … (not used)
 *    96 vendor_id           4
 *   100 vendor_part_id      4
 *   104 hw_ver              4
 *   108 max_qp              4
 *   112 max_qp_wr           4
 *   116 device_cap_flags    4
 *   120 max_sge             4
 *   124 max_sge_rd          4
 *   128 max_cq              4
 *   132 max_cqe             4
 *   136 max_mr              4
 *   140 max_pd              4
 *   144 max_qp_rd_atom      4
 *   148 … (not used)
 *   156 max_qp_init_rd_atom 4
 *   160 … (not used)
 *   164 atomic_cap          4
 *   168 … (not used)
 *   176 max_mw              4
 *   180 … (not used)
 *   200 max_ah              4
 *   204 … (not used)
 *   212 max_srq             4
 *   216 max_srq_wr          4
 *   220 max_srq_sge         4
 *   224 max_pkeys           2
 *   226 … (not used)
 *   227 phys_port_cnt       1
 *   228 … (not used)
 * </pre>
 */
public final class IbvDeviceAttr {

    public static final Struct STRUCT = new Struct("ibv_device_attr", 232);

    public static final int FW_VER = STRUCT.at("fw_ver", 0);
    public static final int NODE_GUID = STRUCT.at("node_guid", 64);
    public static final int SYS_IMAGE_GUID = STRUCT.at("sys_image_guid", 72);
    public static final int MAX_MR_SIZE = STRUCT.at("max_mr_size", 80);
    public static final int VENDOR_ID = STRUCT.at("vendor_id", 96);
    public static final int VENDOR_PART_ID = STRUCT.at("vendor_part_id", 100);
    public static final int HW_VER = STRUCT.at("hw_ver", 104);
    public static final int MAX_QP = STRUCT.at("max_qp", 108);
    public static final int MAX_QP_WR = STRUCT.at("max_qp_wr", 112);
    public static final int DEVICE_CAP_FLAGS = STRUCT.at("device_cap_flags", 116);
    public static final int MAX_SGE = STRUCT.at("max_sge", 120);
    public static final int MAX_SGE_RD = STRUCT.at("max_sge_rd", 124);
    public static final int MAX_CQ = STRUCT.at("max_cq", 128);
    public static final int MAX_CQE = STRUCT.at("max_cqe", 132);
    public static final int MAX_MR = STRUCT.at("max_mr", 136);
    public static final int MAX_PD = STRUCT.at("max_pd", 140);
    public static final int MAX_QP_RD_ATOM = STRUCT.at("max_qp_rd_atom", 144);
    public static final int MAX_QP_INIT_RD_ATOM = STRUCT.at("max_qp_init_rd_atom", 156);
    public static final int ATOMIC_CAP = STRUCT.at("atomic_cap", 164);
    public static final int MAX_MW = STRUCT.at("max_mw", 176);
    public static final int MAX_AH = STRUCT.at("max_ah", 200);
    public static final int MAX_SRQ = STRUCT.at("max_srq", 212);
    public static final int MAX_SRQ_WR = STRUCT.at("max_srq_wr", 216);
    public static final int MAX_SRQ_SGE = STRUCT.at("max_srq_sge", 220);
    public static final int MAX_PKEYS = STRUCT.at("max_pkeys", 224);
    public static final int PHYS_PORT_CNT = STRUCT.at("phys_port_cnt", 227);

    private IbvDeviceAttr() {}
}
