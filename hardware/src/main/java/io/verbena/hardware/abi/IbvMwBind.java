package io.verbena.hardware.abi;

/**
 * A bind of a window of type 1. {@code struct ibv_mw_bind} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 wr_id                     8
 *     8 send_flags                4
 *    12 … (not used)
 *    16 bind_info.mr              8
 *    24 bind_info.addr            8
 *    32 bind_info.length          8
 *    40 bind_info.mw_access_flags 4
 *    44 … (not used)
 * </pre>
 */
public final class IbvMwBind {

    public static final Struct STRUCT = new Struct("ibv_mw_bind", 48);

    public static final int WR_ID = STRUCT.at("wr_id", 0);
    public static final int SEND_FLAGS = STRUCT.at("send_flags", 8);
    public static final int MR = STRUCT.at("bind_info.mr", 16);
    public static final int ADDR = STRUCT.at("bind_info.addr", 24);
    public static final int LENGTH = STRUCT.at("bind_info.length", 32);
    public static final int ACCESS = STRUCT.at("bind_info.mw_access_flags", 40);

    private IbvMwBind() {}
}
