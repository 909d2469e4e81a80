package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvAhAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.fake.FakeQueues.Qp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The multicast groups of the fake adapter, and the destinations of its address handles. */
final class FakeGroups {

    private static final int GID_BYTES = 16;

    private final Map<String, List<Qp>> members = new HashMap<>();
    private final Map<Long, String> handles = new HashMap<>();

    private static String gid(long at) {
        return HexFormat.of().formatHex(Native.bytes(at, GID_BYTES));
    }

    /** An address handle with these attributes. */
    long newHandle(long handle, long attributes) {
        handles.put(handle, gid(attributes + IbvAhAttr.DGID));
        return handle;
    }

    /** The queue pairs that receive what is sent by an address handle. */
    List<Qp> members(long handle) {
        return members.getOrDefault(Objects.requireNonNull(handles.get(handle)), List.of());
    }

    long attach(Qp qp, long gid) {
        if (!qp.datagrams) {
            throw new FakeFailure(Errno.EINVAL);
        }
        members.computeIfAbsent(gid(gid), _ -> new ArrayList<>()).add(qp);
        return 0;
    }

    long detach(Qp qp, long gid) {
        if (!members.getOrDefault(gid(gid), List.of()).remove(qp)) {
            throw new FakeFailure(Errno.EINVAL);
        }
        return 0;
    }

    /** The kernel destroys no queue pair that is attached. */
    void checkNone(Qp qp) {
        if (members.values().stream().anyMatch(each -> each.contains(qp))) {
            throw new FakeFailure(Errno.EBUSY);
        }
    }
}
