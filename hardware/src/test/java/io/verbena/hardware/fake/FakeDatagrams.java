package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvAhAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaCmEvent;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.abi.cm.RdmaConnParam;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Datagram services and multicast groups of the fake librdmacm. */
final class FakeDatagrams {

    private static final int PORT_SPACE_UDP = 0x111;
    private static final int CONNECT_REQUEST = 4;
    private static final int UNREACHABLE = 7;
    private static final int ESTABLISHED = 9;
    private static final int MULTICAST_JOIN = 12;
    private static final int MULTICAST_ERROR = 13;
    private static final int UNSUPPORTED_SERVICE = 1;
    private static final int REJECTED = 2;

    /** The private data of a SIDR_REQ and a SIDR_REP always have this length. */
    private static final int REQUEST_BYTES = 180;

    private static final int REPLY_BYTES = 136;
    private static final int QKEY = 0x01234567;
    private static final int IPV4_GID_INDEX = FakeDevices.LINK_GID_INDEX + 1;

    private final FakeManager manager;
    private final Map<Long, InetAddress> joined = new HashMap<>();

    FakeDatagrams(FakeManager manager) {
        this.manager = manager;
    }

    /** Whether an id is for datagrams. */
    static boolean has(long id) {
        return Native.intAt(id + RdmaCmId.PS) == PORT_SPACE_UDP;
    }

    long connect(long active, @Nullable Long listener, long parameters) {
        if (listener == null) {
            manager.event(active, 0, UNREACHABLE, UNSUPPORTED_SERVICE, new byte[REPLY_BYTES]);
            return 0;
        }
        byte[] data = FakeManager.data(parameters, REQUEST_BYTES);
        manager.event(manager.passive(active, listener), listener, CONNECT_REQUEST, 0, data);
        return 0;
    }

    /** An answer. The peer may have given up. */
    long accept(long passive, long parameters) {
        byte[] data = FakeManager.data(parameters, REPLY_BYTES);
        long active = manager.peer(passive);
        manager.peers().remove(passive);
        manager.peers().remove(active);
        InetAddress peer = SocketAddressCodec.read(active + RdmaCmId.DST_ADDR).getAddress();
        terms(manager.event(active, 0, ESTABLISHED, 0, data), peer, Native.intAt(parameters + RdmaConnParam.QP_NUM));
        return 0;
    }

    long reject(long passive, byte[] data) {
        Long active = manager.peers().remove(passive);
        destroyed(passive, active);
        if (active != null) {
            manager.event(active, 0, UNREACHABLE, REJECTED, Arrays.copyOf(data, REPLY_BYTES));
        }
        return 0;
    }

    /** An id goes. */
    void destroyed(long id, @Nullable Long peer) {
        if (peer != null) {
            manager.peers().remove(peer);
        }
        joined.remove(id);
    }

    long join(long id, long address) {
        if (Native.longAt(id + RdmaCmId.VERBS) == 0) {
            throw new FakeFailure(Errno.EINVAL);
        }
        InetAddress group = SocketAddressCodec.read(address).getAddress();
        joined.put(id, group);
        terms(manager.event(id, 0, MULTICAST_JOIN, 0, new byte[0]), group, 0xff_ffff);
        return 0;
    }

    long leave(long id, long address) {
        if (!joined.remove(id, SocketAddressCodec.read(address).getAddress())) {
            throw new FakeFailure(Errno.EADDRNOTAVAIL);
        }
        return 0;
    }

    /** The network ends all memberships. */
    void lose() {
        joined.keySet().forEach(id -> manager.event(id, 0, MULTICAST_ERROR, -Errno.ENETUNREACH, new byte[0]));
    }

    private static void terms(long event, InetAddress to, int queuePair) {
        long attributes = event + RdmaCmEvent.UD_AH_ATTR;
        byte[] address = to.getAddress();
        if (address.length == 4) {
            Native.putByte(attributes + IbvAhAttr.DGID + 10, -1);
            Native.putByte(attributes + IbvAhAttr.DGID + 11, -1);
        }
        Native.put(attributes + IbvAhAttr.DGID + 16 - address.length, address);
        Native.putByte(
                attributes + IbvAhAttr.SGID_INDEX, address.length == 4 ? IPV4_GID_INDEX : FakeDevices.LINK_GID_INDEX);
        Native.putByte(attributes + IbvAhAttr.HOP_LIMIT, 64);
        Native.putShort(attributes + IbvAhAttr.DLID, 7);
        Native.putByte(attributes + IbvAhAttr.IS_GLOBAL, 1);
        Native.putByte(attributes + IbvAhAttr.PORT_NUM, 1);
        Native.putInt(event + RdmaCmEvent.UD_QP_NUM, queuePair);
        Native.putInt(event + RdmaCmEvent.UD_QKEY, QKEY);
    }
}
