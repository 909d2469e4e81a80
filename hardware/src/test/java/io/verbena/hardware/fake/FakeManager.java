package io.verbena.hardware.fake;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.IbvQpAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.SystemCalls;
import io.verbena.hardware.abi.cm.RdmaCmEvent;
import io.verbena.hardware.abi.cm.RdmaCmId;
import io.verbena.hardware.abi.cm.RdmaConnParam;
import io.verbena.hardware.abi.cm.RdmaEventChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** librdmacm over one fake adapter: all ids are in this process. */
final class FakeManager {

    private static final int ADDR_RESOLVED = 0;
    private static final int ROUTE_RESOLVED = 2;
    private static final int CONNECT_REQUEST = 4;
    private static final int CONNECT_RESPONSE = 5;
    private static final int REJECTED = 8;
    private static final int ESTABLISHED = 9;
    private static final int DISCONNECTED = 10;
    private static final int INVALID_SERVICE = 8;
    private static final int CONSUMER_REJECT = 28;
    private static final int RTR = 2;
    private static final int SOCKADDR_BYTES = SocketAddressCodec.BYTES;

    /** What librdmacm shows of the private data of an InfiniBand reply: always this many bytes. */
    private static final int REPLY_BYTES = 196;

    private static final int REQUEST_BYTES = 56;
    private static final int REJECT_BYTES = 148;

    private final FakeAdapter adapter;
    private final FakeMemory memory;
    private final long context;
    private final Map<Long, ArrayDeque<Long>> channels = new HashMap<>();
    private final Map<Integer, Long> listeners = new HashMap<>();
    private final Map<Integer, Long> services = new HashMap<>();
    private final FakeDatagrams datagrams = new FakeDatagrams(this);
    private final Map<Long, Long> peers = new HashMap<>();
    private final Map<Long, Integer> queuePairs = new HashMap<>();
    private int lastPort = 40_000;

    FakeManager(FakeAdapter adapter, FakeMemory memory) {
        this.adapter = adapter;
        this.memory = memory;
        context = adapter.newContext();
    }

    void install(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.CREATE_EVENT_CHANNEL, _ -> {
            long channel = memory.allocate(RdmaEventChannel.STRUCT);
            Native.putInt(channel, SystemCalls.eventfd());
            channels.put(channel, new ArrayDeque<>());
            return adapter.register(channel);
        });
        table.put(NativeFunction.DESTROY_EVENT_CHANNEL, it -> {
            for (long event : Objects.requireNonNull(channels.remove(it[0]))) {
                if (Native.intAt(event + RdmaCmEvent.EVENT) == CONNECT_REQUEST) {
                    adapter.gone(Native.longAt(event + RdmaCmEvent.ID)); // the kernel ends requests that were not read
                }
            }
            SystemCalls.close(Native.intAt(it[0]));
            return adapter.gone(it[0]);
        });
        table.put(NativeFunction.GET_CM_EVENT, it -> {
            Long event = Objects.requireNonNull(channels.get(it[0])).pollFirst();
            if (event == null) {
                memory.quiet(Native.intAt(it[0]));
                throw new FakeFailure(Errno.EAGAIN);
            }
            Native.putLong(it[1], event);
            return 0;
        });
        table.put(NativeFunction.ACK_CM_EVENT, _ -> 0);
        installIds(table);
        installConnections(table);
        table.put(NativeFunction.JOIN_MULTICAST, it -> datagrams.join(it[0], it[1]));
        table.put(NativeFunction.LEAVE_MULTICAST, it -> datagrams.leave(it[0], it[1]));
    }

    /** The ids that listen at the ports of a port space. */
    Map<Integer, Long> listeners(long id) {
        return FakeDatagrams.has(id) ? services : listeners;
    }

    /** A datagram service of another program has a port. */
    void serviceTakes(int port) {
        services.put(port, 0L);
    }

    /** Pairs of ids, both of which wait for the other. */
    Map<Long, Long> peers() {
        return peers;
    }

    FakeAdapter adapter() {
        return adapter;
    }

    FakeDatagrams datagrams() {
        return datagrams;
    }

    private void installIds(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.CREATE_ID, it -> {
            long id = newId(it[0]);
            Native.putInt(id + RdmaCmId.PS, (int) it[3]);
            Native.putLong(it[1], id);
            return 0;
        });
        table.put(NativeFunction.DESTROY_ID, it -> {
            listeners.values().remove(it[0]);
            services.values().remove(it[0]);
            Long peer = peers.remove(it[0]);
            if (FakeDatagrams.has(it[0])) {
                datagrams.destroyed(it[0], peer);
            } else if (peer != null && peers.remove(peer) != null) {
                event(peer, 0, DISCONNECTED, 0, new byte[0]);
            }
            return adapter.gone(it[0]);
        });
        table.put(NativeFunction.BIND_ADDR, it -> {
            InetSocketAddress wanted = SocketAddressCodec.read(it[1]);
            checkLocal(wanted);
            int port = wanted.getPort() == 0 ? ++lastPort : wanted.getPort();
            if (listeners(it[0]).containsKey(port)) {
                throw new FakeFailure(Errno.EADDRINUSE);
            }
            SocketAddressCodec.write(it[0] + RdmaCmId.SRC_ADDR, new InetSocketAddress(wanted.getAddress(), port));
            return 0;
        });
        table.put(NativeFunction.LISTEN, it -> {
            listeners(it[0])
                    .put(SocketAddressCodec.read(it[0] + RdmaCmId.SRC_ADDR).getPort(), it[0]);
            return 0;
        });
        table.put(NativeFunction.RESOLVE_ADDR, it -> {
            if (it[1] != 0) {
                checkLocal(SocketAddressCodec.read(it[1]));
            }
            Native.copy(it[2], it[0] + RdmaCmId.DST_ADDR, SOCKADDR_BYTES);
            SocketAddressCodec.write(
                    it[0] + RdmaCmId.SRC_ADDR, new InetSocketAddress(InetAddress.getLoopbackAddress(), ++lastPort));
            Native.putLong(it[0] + RdmaCmId.VERBS, context);
            event(it[0], 0, ADDR_RESOLVED, 0, new byte[0]);
            return 0;
        });
        table.put(NativeFunction.RESOLVE_ROUTE, it -> {
            event(it[0], 0, ROUTE_RESOLVED, 0, new byte[0]);
            return 0;
        });
    }

    private void installConnections(Map<NativeFunction, FakeLibrary.Behaviour> table) {
        table.put(NativeFunction.CONNECT, it -> {
            Long listener = listeners(it[0])
                    .get(SocketAddressCodec.read(it[0] + RdmaCmId.DST_ADDR).getPort());
            if (FakeDatagrams.has(it[0])) {
                return datagrams.connect(it[0], listener, it[1]);
            }
            if (listener == null) {
                event(it[0], 0, REJECTED, INVALID_SERVICE, new byte[REJECT_BYTES]);
                return 0;
            }
            long passive = passive(it[0], listener);
            queuePairs.put(it[0], Native.intAt(it[1] + RdmaConnParam.QP_NUM));
            boolean padded = !adapter.devices().isSiw();
            long event =
                    event(passive, listener, CONNECT_REQUEST, 0, padded ? data(it[1], REQUEST_BYTES) : exact(it[1]));
            reads(event, it[1]);
            return 0;
        });
        table.put(NativeFunction.ACCEPT, it -> {
            if (FakeDatagrams.has(it[0])) {
                return datagrams.accept(it[0], it[1]);
            }
            queuePairs.put(it[0], Native.intAt(it[1] + RdmaConnParam.QP_NUM));
            if (adapter.devices().isSiw()) {
                establish(it[0], exact(it[1]));
            } else {
                reads(event(peer(it[0]), 0, CONNECT_RESPONSE, 0, data(it[1], REPLY_BYTES)), it[1]);
            }
            return 0;
        });
        table.put(NativeFunction.ESTABLISH, it -> {
            event(peer(it[0]), 0, ESTABLISHED, 0, new byte[0]);
            return 0;
        });
        table.put(NativeFunction.REJECT, it -> {
            if (FakeDatagrams.has(it[0])) {
                return datagrams.reject(it[0], Native.bytes(it[1], (int) it[2]));
            }
            byte[] data = java.util.Arrays.copyOf(Native.bytes(it[1], (int) it[2]), REJECT_BYTES);
            long active = peer(it[0]);
            peers.remove(it[0]);
            peers.remove(active);
            event(active, 0, REJECTED, CONSUMER_REJECT, data);
            return 0;
        });
        table.put(NativeFunction.DISCONNECT, it -> {
            Long peer = peers.get(it[0]);
            if (peer == null) {
                throw new FakeFailure(Errno.EINVAL);
            }
            peers.remove(it[0]);
            peers.remove(peer);
            event(it[0], 0, DISCONNECTED, 0, new byte[0]);
            event(peer, 0, DISCONNECTED, 0, new byte[0]);
            return 0;
        });
        table.put(NativeFunction.INIT_QP_ATTR, it -> {
            boolean receive = Native.intAt(it[1] + IbvQpAttr.QP_STATE) == RTR;
            Integer number = queuePairs.get(peer(it[0]));
            if (number == null) {
                throw new FakeFailure(Errno.EINVAL);
            }
            Native.putInt(it[1] + IbvQpAttr.DEST_QP_NUM, number);
            Native.putInt(it[2], receive ? 0x129181 : 0x12e01);
            return 0;
        });
    }

    /** On iWARP the kernel moves the queue pairs, and both sides have the same event. */
    private void establish(long passive, byte[] data) {
        long active = peer(passive);
        adapter.connect(
                Objects.requireNonNull(queuePairs.get(active)), Objects.requireNonNull(queuePairs.get(passive)));
        event(active, 0, ESTABLISHED, 0, data);
        event(passive, 0, ESTABLISHED, 0, new byte[0]);
    }

    /** What one side serves is what the other can have outstanding. */
    private static void reads(long event, long parameters) {
        Native.putByte(
                event + RdmaCmEvent.CONN_INITIATOR_DEPTH,
                Native.byteAt(parameters + RdmaConnParam.RESPONDER_RESOURCES));
        Native.putByte(
                event + RdmaCmEvent.CONN_RESPONDER_RESOURCES,
                Native.byteAt(parameters + RdmaConnParam.INITIATOR_DEPTH));
    }

    /** Only the loopback interface has addresses. */
    private static void checkLocal(InetSocketAddress address) {
        if (!address.getAddress().isAnyLocalAddress() && !address.getAddress().isLoopbackAddress()) {
            throw new FakeFailure(Errno.EADDRNOTAVAIL);
        }
    }

    /** Private data of iWARP. */
    private static byte[] exact(long parameters) {
        int length = Native.byteAt(parameters + RdmaConnParam.PRIVATE_DATA_LEN);
        return Native.bytes(Native.longAt(parameters + RdmaConnParam.PRIVATE_DATA), length);
    }

    /** The id of a request. */
    long passive(long active, long listener) {
        long passive = newId(Native.longAt(listener + RdmaCmId.CHANNEL));
        Native.putLong(passive + RdmaCmId.VERBS, context);
        Native.putInt(passive + RdmaCmId.PS, Native.intAt(active + RdmaCmId.PS));
        Native.copy(active + RdmaCmId.DST_ADDR, passive + RdmaCmId.SRC_ADDR, SOCKADDR_BYTES);
        Native.copy(active + RdmaCmId.SRC_ADDR, passive + RdmaCmId.DST_ADDR, SOCKADDR_BYTES);
        peers.put(active, passive);
        peers.put(passive, active);
        return passive;
    }

    /** The id of the peer, which may be destroyed meanwhile. */
    long peer(long id) {
        Long peer = peers.get(id);
        if (peer == null) {
            throw new FakeFailure(Errno.EINVAL);
        }
        return peer;
    }

    private long newId(long channel) {
        long id = memory.allocate(RdmaCmId.STRUCT);
        Native.putLong(id + RdmaCmId.CHANNEL, channel);
        return adapter.register(id);
    }

    static byte[] data(long parameters, int padded) {
        int length = Native.byteAt(parameters + RdmaConnParam.PRIVATE_DATA_LEN);
        if (length > padded) {
            throw new FakeFailure(Errno.EINVAL);
        }
        byte[] data = Native.bytes(Native.longAt(parameters + RdmaConnParam.PRIVATE_DATA), length);
        return java.util.Arrays.copyOf(data, padded);
    }

    /** Adds an event, and returns it for what else it has. */
    long event(long id, long listener, int type, int status, byte[] data) {
        long event = memory.allocate(RdmaCmEvent.STRUCT);
        long bytes = memory.allocate(Math.max(1, data.length));
        Native.put(bytes, data);
        Native.putLong(event + RdmaCmEvent.ID, id);
        Native.putLong(event + RdmaCmEvent.LISTEN_ID, listener);
        Native.putInt(event + RdmaCmEvent.EVENT, type);
        Native.putInt(event + RdmaCmEvent.STATUS, status);
        Native.putLong(event + RdmaCmEvent.CONN_PRIVATE_DATA, bytes);
        Native.putByte(event + RdmaCmEvent.CONN_PRIVATE_DATA_LEN, data.length);
        long channel = Native.longAt(id + RdmaCmId.CHANNEL);
        Objects.requireNonNull(channels.get(channel)).addLast(event);
        memory.signal(Native.intAt(channel));
        return event;
    }
}
