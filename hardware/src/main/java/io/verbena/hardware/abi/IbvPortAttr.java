package io.verbena.hardware.abi;

/**
 * State of a port. {@code active_speed_ex} is missing before version 49, where the size is 52. {@code struct ibv_port_attr} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 state           4
 *     4 max_mtu         4
 *     8 active_mtu      4
 *    12 gid_tbl_len     4
 *    16 port_cap_flags  4
 *    20 max_msg_sz      4
 *    24 … (not used)
 *    32 pkey_tbl_len    2
 *    34 lid             2
 *    36 sm_lid          2
 *    38 lmc             1
 *    39 … (not used)
 *    40 sm_sl           1
 *    41 … (not used)
 *    43 active_width    1
 *    44 active_speed    1
 *    45 phys_state      1
 *    46 link_layer      1
 *    47 … (not used)
 *    48 port_cap_flags2 2
 *    50 … (not used)
 * </pre>
 */
public final class IbvPortAttr {

    public static final Struct STRUCT = new Struct("ibv_port_attr", 56);

    public static final int STATE = STRUCT.at("state", 0);
    public static final int MAX_MTU = STRUCT.at("max_mtu", 4);
    public static final int ACTIVE_MTU = STRUCT.at("active_mtu", 8);
    public static final int GID_TBL_LEN = STRUCT.at("gid_tbl_len", 12);
    public static final int PORT_CAP_FLAGS = STRUCT.at("port_cap_flags", 16);
    public static final int MAX_MSG_SZ = STRUCT.at("max_msg_sz", 20);
    public static final int PKEY_TBL_LEN = STRUCT.at("pkey_tbl_len", 32);
    public static final int LID = STRUCT.at("lid", 34);
    public static final int SM_LID = STRUCT.at("sm_lid", 36);
    public static final int LMC = STRUCT.at("lmc", 38);
    public static final int SM_SL = STRUCT.at("sm_sl", 40);
    public static final int ACTIVE_WIDTH = STRUCT.at("active_width", 43);
    public static final int ACTIVE_SPEED = STRUCT.at("active_speed", 44);
    public static final int PHYS_STATE = STRUCT.at("phys_state", 45);
    public static final int LINK_LAYER = STRUCT.at("link_layer", 46);
    public static final int PORT_CAP_FLAGS2 = STRUCT.at("port_cap_flags2", 48);

    private IbvPortAttr() {}
}
