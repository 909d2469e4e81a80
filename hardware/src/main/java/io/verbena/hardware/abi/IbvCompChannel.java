package io.verbena.hardware.abi;

/**
 * A completion channel: where events of completion queues arrive. {@code struct ibv_comp_channel} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 context 8
 *     8 fd      4
 *    12 refcnt  4
 * </pre>
 */
public final class IbvCompChannel {

    public static final Struct STRUCT = new Struct("ibv_comp_channel", 16);

    public static final int CONTEXT = STRUCT.at("context", 0);
    public static final int FD = STRUCT.at("fd", 8);
    public static final int REFCNT = STRUCT.at("refcnt", 12);

    private IbvCompChannel() {}
}
