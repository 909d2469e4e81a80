package io.verbena.hardware.abi;

/**
 * A memory region. {@code struct ibv_mr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context 8
 *     8 pd      8
 *    16 addr    8
 *    24 length  8
 *    32 handle  4
 *    36 lkey    4
 *    40 rkey    4
 *    44 … (not used)
 * </pre>
 */
public final class IbvMr {

    public static final Struct STRUCT = new Struct("ibv_mr", 48);

    public static final int CONTEXT = STRUCT.at("context", 0);
    public static final int PD = STRUCT.at("pd", 8);
    public static final int ADDR = STRUCT.at("addr", 16);
    public static final int LENGTH = STRUCT.at("length", 24);
    public static final int HANDLE = STRUCT.at("handle", 32);
    public static final int LKEY = STRUCT.at("lkey", 36);
    public static final int RKEY = STRUCT.at("rkey", 40);

    private IbvMr() {}
}
