package io.verbena.hardware.abi;

/**
 * A work completion. {@code struct ibv_wc} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 wr_id            8
 *     8 status           4
 *    12 opcode           4
 *    16 vendor_err       4
 *    20 byte_len         4
 *    24 imm_data         4
 *    24 invalidated_rkey 4
 *    28 qp_num           4
 *    32 src_qp           4
 *    36 wc_flags         4
 *    40 pkey_index       2
 *    42 slid             2
 *    44 sl               1
 *    45 dlid_path_bits   1
 *    46 … (not used)
 * </pre>
 */
public final class IbvWc {

    public static final Struct STRUCT = new Struct("ibv_wc", 48);

    public static final int WR_ID = STRUCT.at("wr_id", 0);
    public static final int STATUS = STRUCT.at("status", 8);
    public static final int OPCODE = STRUCT.at("opcode", 12);
    public static final int VENDOR_ERR = STRUCT.at("vendor_err", 16);
    public static final int BYTE_LEN = STRUCT.at("byte_len", 20);
    public static final int IMM_DATA = STRUCT.at("imm_data", 24);
    public static final int INVALIDATED_RKEY = STRUCT.at("invalidated_rkey", 24);
    public static final int QP_NUM = STRUCT.at("qp_num", 28);
    public static final int SRC_QP = STRUCT.at("src_qp", 32);
    public static final int WC_FLAGS = STRUCT.at("wc_flags", 36);
    public static final int PKEY_INDEX = STRUCT.at("pkey_index", 40);
    public static final int SLID = STRUCT.at("slid", 42);
    public static final int SL = STRUCT.at("sl", 44);
    public static final int DLID_PATH_BITS = STRUCT.at("dlid_path_bits", 45);

    private IbvWc() {}
}
