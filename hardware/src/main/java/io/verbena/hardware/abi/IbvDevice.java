package io.verbena.hardware.abi;

/**
 * An adapter, as {@code ibv_get_device_list} returns it. {@code struct ibv_device} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 … (not used)
 *    16 node_type      4
 *    20 transport_type 4
 *    24 name           64
 *    88 dev_name       64
 *   152 dev_path       256
 *   408 ibdev_path     256
 * </pre>
 */
public final class IbvDevice {

    public static final Struct STRUCT = new Struct("ibv_device", 664);

    public static final int NODE_TYPE = STRUCT.at("node_type", 16);
    public static final int TRANSPORT_TYPE = STRUCT.at("transport_type", 20);
    public static final int NAME = STRUCT.at("name", 24);
    public static final int DEV_NAME = STRUCT.at("dev_name", 88);
    public static final int DEV_PATH = STRUCT.at("dev_path", 152);
    public static final int IBDEV_PATH = STRUCT.at("ibdev_path", 408);

    private IbvDevice() {}
}
