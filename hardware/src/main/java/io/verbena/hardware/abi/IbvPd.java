package io.verbena.hardware.abi;

/**
 * A protection domain. {@code struct ibv_pd} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context 8
 *     8 … (not used)
 * </pre>
 */
public final class IbvPd {

    public static final Struct STRUCT = new Struct("ibv_pd", 16);

    public static final int CONTEXT = STRUCT.at("context", 0);

    private IbvPd() {}
}
