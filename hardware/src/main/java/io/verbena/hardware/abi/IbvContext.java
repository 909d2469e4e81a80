package io.verbena.hardware.abi;

/**
 * An open adapter. The function pointers of {@link ContextOp} lie in and before it. {@code struct ibv_context} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 device           8
 *     8 ops              256
 *   264 cmd_fd           4
 *   268 async_fd         4
 *   272 num_comp_vectors 4
 *   276 … (not used)
 *   320 abi_compat       8
 * </pre>
 */
public final class IbvContext {

    public static final Struct STRUCT = new Struct("ibv_context", 328);

    public static final int DEVICE = STRUCT.at("device", 0);
    public static final int OPS = STRUCT.at("ops", 8);
    public static final int CMD_FD = STRUCT.at("cmd_fd", 264);
    public static final int ASYNC_FD = STRUCT.at("async_fd", 268);
    public static final int NUM_COMP_VECTORS = STRUCT.at("num_comp_vectors", 272);
    public static final int ABI_COMPAT = STRUCT.at("abi_compat", 320);

    private IbvContext() {}
}
