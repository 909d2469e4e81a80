package io.verbena.hardware.abi;

/**
 * An entry of the table of GIDs, with its type. {@code struct ibv_gid_entry} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 gid          16
 *    16 gid_index    4
 *    20 port_num     4
 *    24 gid_type     4
 *    28 ndev_ifindex 4
 * </pre>
 */
public final class IbvGidEntry {

    public static final Struct STRUCT = new Struct("ibv_gid_entry", 32);

    public static final int GID = STRUCT.at("gid", 0);
    public static final int GID_INDEX = STRUCT.at("gid_index", 16);
    public static final int PORT_NUM = STRUCT.at("port_num", 20);
    public static final int GID_TYPE = STRUCT.at("gid_type", 24);
    public static final int NDEV_IFINDEX = STRUCT.at("ndev_ifindex", 28);

    private IbvGidEntry() {}
}
