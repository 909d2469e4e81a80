package io.verbena.hardware.abi;

/**
 * An element of a gather or scatter list. {@code struct ibv_sge} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 addr   8
 *     8 length 4
 *    12 lkey   4
 * </pre>
 */
public final class IbvSge {

    public static final Struct STRUCT = new Struct("ibv_sge", 16);

    public static final int ADDR = STRUCT.at("addr", 0);
    public static final int LENGTH = STRUCT.at("length", 8);
    public static final int LKEY = STRUCT.at("lkey", 12);

    private IbvSge() {}
}
