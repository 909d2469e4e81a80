package io.verbena.hardware.abi;

/**
 * Sizes of the queues of a queue pair. {@code struct ibv_qp_cap} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 max_send_wr     4
 *     4 max_recv_wr     4
 *     8 max_send_sge    4
 *    12 max_recv_sge    4
 *    16 max_inline_data 4
 * </pre>
 */
public final class IbvQpCap {

    public static final Struct STRUCT = new Struct("ibv_qp_cap", 20);

    public static final int MAX_SEND_WR = STRUCT.at("max_send_wr", 0);
    public static final int MAX_RECV_WR = STRUCT.at("max_recv_wr", 4);
    public static final int MAX_SEND_SGE = STRUCT.at("max_send_sge", 8);
    public static final int MAX_RECV_SGE = STRUCT.at("max_recv_sge", 12);
    public static final int MAX_INLINE_DATA = STRUCT.at("max_inline_data", 16);

    private IbvQpCap() {}
}
