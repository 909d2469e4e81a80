package io.verbena.hardware.fake;

import io.verbena.hardware.abi.IbvDevice;
import io.verbena.hardware.abi.IbvDeviceAttr;
import io.verbena.hardware.abi.IbvPortAttr;
import io.verbena.hardware.abi.Native;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The devices of the machine, with their limits and ports. */
final class FakeDevices {

    private static final int WINDOWS = 0x1000000;

    private final FakeMemory memory;
    private final List<Long> devices = new ArrayList<>();
    private final Set<Long> inactive = new HashSet<>();
    private boolean present = true;

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
        long made = memory.allocate(IbvDevice.STRUCT);
        Native.put(made + IbvDevice.NAME, name.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        Native.putInt(made + IbvDevice.NODE_TYPE, 1);
        return made;
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
        Native.putByte(to + IbvPortAttr.LINK_LAYER, 2);
        return 0;
    }

    static void writeLimits(long to) {
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
        Native.putInt(to + IbvDeviceAttr.DEVICE_CAP_FLAGS, WINDOWS);
        Native.putInt(to + IbvDeviceAttr.MAX_QP_RD_ATOM, 8);
        Native.putInt(to + IbvDeviceAttr.MAX_QP_INIT_RD_ATOM, 8);
        Native.putInt(to + IbvDeviceAttr.ATOMIC_CAP, 1);
        Native.putByte(to + IbvDeviceAttr.PHYS_PORT_CNT, 1);
    }
}
