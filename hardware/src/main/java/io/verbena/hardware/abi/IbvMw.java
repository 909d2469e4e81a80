package io.verbena.hardware.abi;

/**
 * A memory window. {@code struct ibv_mw} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context 8
 *     8 pd      8
 *    16 rkey    4
 *    20 … (not used)
 *    24 type    4
 *    28 … (not used)
 * </pre>
 */
public final class IbvMw {

    public static final Struct STRUCT = new Struct("ibv_mw", 32);

    public static final int CONTEXT = STRUCT.at("context", 0);
    public static final int PD = STRUCT.at("pd", 8);
    public static final int RKEY = STRUCT.at("rkey", 16);
    public static final int TYPE = STRUCT.at("type", 24);

    private IbvMw() {}
}
