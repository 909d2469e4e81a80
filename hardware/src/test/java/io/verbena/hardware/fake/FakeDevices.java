package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvAhAttr;
import io.verbena.hardware.abi.IbvDevice;
import io.verbena.hardware.abi.IbvDeviceAttr;
import io.verbena.hardware.abi.IbvGidEntry;
import io.verbena.hardware.abi.IbvPortAttr;
import io.verbena.hardware.abi.Native;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The devices of the machine, with their limits and ports. */
final class FakeDevices {

    private static final int WINDOWS = 0x1000000;
    private static final int SIW_VENDOR = 0x626d74;
    private static final int RXE_VENDOR = 0xffffff;
    static final int LINK_GID_INDEX = 2;
    private static final byte[] LINK_GID = {-2, -128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    private static final byte[] IPV4_GID = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1, 127, 0, 0, 1};

    private final FakeMemory memory;
    private final List<Long> devices = new ArrayList<>();
    private final Set<Long> inactive = new HashSet<>();
    private boolean present = true;
    private boolean infiniband;
    private boolean siw;
    private boolean rxe;

    FakeDevices(FakeMemory memory) {
        this.memory = memory;
    }

    /** Adds a device and returns its ibv_device. */
    long add(String name, boolean active) {
        long added = newDevice(name);
        devices.add(added);
        if (!active) {
            inactive.add(added);
        }
        return added;
    }

    void remove() {
        present = false;
    }

    private long newDevice(String name) {
        long created = memory.allocate(IbvDevice.STRUCT);
        Native.put(created + IbvDevice.NAME, name.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        Native.putInt(created + IbvDevice.NODE_TYPE, 1);
        return created;
    }

    /** The list of ibv_get_device_list, with its length. */
    long list(long length) {
        int count = present ? devices.size() : 0;
        Native.putInt(length, count);
        long list = memory.allocate((count + 1L) * Long.BYTES);
        for (int i = 0; i < count; i++) {
            Native.putLong(list + (long) i * Long.BYTES, devices.get(i));
        }
        return list;
    }

    /** The function query_port of a context of this device. */
    long queryPort(long device, long to) {
        boolean active = !inactive.contains(device);
        Native.putInt(to + IbvPortAttr.STATE, active ? 4 : 1);
        Native.putInt(to + IbvPortAttr.ACTIVE_MTU, 3);
        Native.putInt(to + IbvPortAttr.MAX_MSG_SZ, 1 << 30);
        Native.putShort(to + IbvPortAttr.PKEY_TBL_LEN, 1);
        Native.putByte(to + IbvPortAttr.LINK_LAYER, infiniband ? 1 : 2);
        return 0;
    }

    /** The device is siw: iWARP, without windows, immediate data and address handles. */
    void siw(long device) {
        siw = true;
        Native.putInt(device + IbvDevice.NODE_TYPE, 4);
        Native.putInt(device + IbvDevice.TRANSPORT_TYPE, 1);
    }

    /** The link is InfiniBand. */
    void infiniband() {
        infiniband = true;
    }

    boolean isSiw() {
        return siw;
    }

    /** The device is rxe, whose kernel driver has another value for the flag of an invalidated key. */
    void rxe() {
        rxe = true;
    }

    /** The flag of an entry whose receive has a key that the peer invalidated. */
    int invalidateFlag() {
        return rxe ? 4 : 8;
    }

    /** The table of GIDs: the address of the link, and one of IPv4. */
    static long gids(long to) {
        Native.put(to, LINK_GID);
        Native.put(to + IbvGidEntry.STRUCT.sizeBytes(), IPV4_GID);
        for (int i = 0; i < 2; i++) {
            long entry = to + (long) i * IbvGidEntry.STRUCT.sizeBytes();
            Native.putInt(entry + IbvGidEntry.GID_INDEX, LINK_GID_INDEX + i);
            Native.putInt(entry + IbvGidEntry.PORT_NUM, 1);
            Native.putInt(entry + IbvGidEntry.GID_TYPE, 2);
        }
        return 2;
    }

    /** Fails for a path between an address of IPv4 and one of IPv6. */
    static void checkAddress(long attributes) {
        byte[] destination = Native.bytes(attributes + IbvAhAttr.DGID, LINK_GID.length);
        boolean ipv4 = destination[10] == -1;
        if (Native.byteAt(attributes + IbvAhAttr.IS_GLOBAL) == 1
                && ipv4 == (Native.byteAt(attributes + IbvAhAttr.SGID_INDEX) == LINK_GID_INDEX)) {
            throw new FakeFailure(Errno.EINVAL);
        }
    }

    void writeLimits(long to) {
        Native.put(to, "1.2.3".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        Native.putLong(to + IbvDeviceAttr.MAX_MR_SIZE, 1L << 40);
        for (int limit : new int[] {
            IbvDeviceAttr.MAX_QP,
            IbvDeviceAttr.MAX_QP_WR,
            IbvDeviceAttr.MAX_CQ,
            IbvDeviceAttr.MAX_MR,
            IbvDeviceAttr.MAX_PD,
            IbvDeviceAttr.MAX_MW,
            IbvDeviceAttr.MAX_SRQ,
            IbvDeviceAttr.MAX_SRQ_WR,
            IbvDeviceAttr.MAX_AH
        }) {
            Native.putInt(to + limit, 1024);
        }
        Native.putInt(to + IbvDeviceAttr.MAX_CQE, 1 << 16);
        Native.putInt(to + IbvDeviceAttr.MAX_SGE, 8);
        Native.putInt(to + IbvDeviceAttr.MAX_SGE_RD, 8);
        Native.putInt(to + IbvDeviceAttr.MAX_SRQ_SGE, 8);
        Native.putInt(to + IbvDeviceAttr.DEVICE_CAP_FLAGS, siw ? 0 : WINDOWS);
        Native.putInt(to + IbvDeviceAttr.VENDOR_ID, siw ? SIW_VENDOR : rxe ? RXE_VENDOR : 0);
        Native.putInt(to + IbvDeviceAttr.MAX_QP_RD_ATOM, 8);
        Native.putInt(to + IbvDeviceAttr.MAX_QP_INIT_RD_ATOM, 8);
        Native.putInt(to + IbvDeviceAttr.ATOMIC_CAP, 1);
        Native.putByte(to + IbvDeviceAttr.PHYS_PORT_CNT, 1);
    }
}
