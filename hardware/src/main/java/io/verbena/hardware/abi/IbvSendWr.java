package io.verbena.hardware.abi;

/**
 * A work request for a send queue. The members from 40 on are unions: Read and Write, atomics, datagrams. {@code struct ibv_send_wr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 wr_id                             8
 *     8 next                              8
 *    16 sg_list                           8
 *    24 num_sge                           4
 *    28 opcode                            4
 *    32 send_flags                        4
 *    36 imm_data                          4
 *    36 invalidate_rkey                   4
 *    40 wr.atomic.remote_addr             8
 *    40 wr.rdma.remote_addr               8
 *    40 wr.ud.ah                          8
 *    48 wr.atomic.compare_add             8
 *    48 wr.rdma.rkey                      4
 *    48 wr.ud.remote_qpn                  4
 *    52 wr.ud.remote_qkey                 4
 *    56 wr.atomic.swap                    8
 *    64 wr.atomic.rkey                    4
 *    68 … (not used)
 *    80 bind_mw.mw                        8
 *    88 bind_mw.rkey                      4
 *    92 … (not used)
 *    96 bind_mw.bind_info.mr              8
 *   104 bind_mw.bind_info.addr            8
 *   112 bind_mw.bind_info.length          8
 *   120 bind_mw.bind_info.mw_access_flags 4
 *   124 … (not used)
 * </pre>
 */
public final class IbvSendWr {

    public static final Struct STRUCT = new Struct("ibv_send_wr", 128);

    public static final int WR_ID = STRUCT.at("wr_id", 0);
    public static final int NEXT = STRUCT.at("next", 8);
    public static final int SG_LIST = STRUCT.at("sg_list", 16);
    public static final int NUM_SGE = STRUCT.at("num_sge", 24);
    public static final int OPCODE = STRUCT.at("opcode", 28);
    public static final int SEND_FLAGS = STRUCT.at("send_flags", 32);
    public static final int IMM_DATA = STRUCT.at("imm_data", 36);
    public static final int INVALIDATE_RKEY = STRUCT.at("invalidate_rkey", 36);
    public static final int RDMA_REMOTE_ADDR = STRUCT.at("wr.rdma.remote_addr", 40);
    public static final int RDMA_RKEY = STRUCT.at("wr.rdma.rkey", 48);
    public static final int ATOMIC_REMOTE_ADDR = STRUCT.at("wr.atomic.remote_addr", 40);
    public static final int ATOMIC_COMPARE_ADD = STRUCT.at("wr.atomic.compare_add", 48);
    public static final int ATOMIC_SWAP = STRUCT.at("wr.atomic.swap", 56);
    public static final int ATOMIC_RKEY = STRUCT.at("wr.atomic.rkey", 64);
    public static final int UD_AH = STRUCT.at("wr.ud.ah", 40);
    public static final int UD_REMOTE_QPN = STRUCT.at("wr.ud.remote_qpn", 48);
    public static final int UD_REMOTE_QKEY = STRUCT.at("wr.ud.remote_qkey", 52);
    public static final int BIND_MW = STRUCT.at("bind_mw.mw", 80);
    public static final int BIND_RKEY = STRUCT.at("bind_mw.rkey", 88);
    public static final int BIND_MR = STRUCT.at("bind_mw.bind_info.mr", 96);
    public static final int BIND_ADDR = STRUCT.at("bind_mw.bind_info.addr", 104);
    public static final int BIND_LENGTH = STRUCT.at("bind_mw.bind_info.length", 112);
    public static final int BIND_ACCESS = STRUCT.at("bind_mw.bind_info.mw_access_flags", 120);

    private IbvSendWr() {}
}
