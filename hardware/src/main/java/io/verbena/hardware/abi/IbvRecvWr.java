package io.verbena.hardware.abi;

/**
 * A receive. {@code struct ibv_recv_wr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 wr_id   8
 *     8 next    8
 *    16 sg_list 8
 *    24 num_sge 4
 *    28 … (not used)
 * </pre>
 */
public final class IbvRecvWr {

    public static final Struct STRUCT = new Struct("ibv_recv_wr", 32);

    public static final int WR_ID = STRUCT.at("wr_id", 0);
    public static final int NEXT = STRUCT.at("next", 8);
    public static final int SG_LIST = STRUCT.at("sg_list", 16);
    public static final int NUM_SGE = STRUCT.at("num_sge", 24);

    private IbvRecvWr() {}
}
