package io.verbena.hardware.provider.cm;

import io.verbena.hardware.abi.IbvAhAttr;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.cm.RdmaCmEvent;

/**
 * An event of the connection manager, copied, so that it can be acknowledged at once.
 *
 * @param id the rdma_cm_id concerned
 * @param listener the id that listens, for a request; else 0
 * @param type kind
 * @param status reason of a failure: an errno, negative, or the reason of a reject
 * @param privateData private data of the peer
 * @param terms what the peer states; which members have a meaning depends on whether the id is for connections or for datagrams
 */
public record CmEvent(long id, long listener, Type type, int status, byte[] privateData, Terms terms) {

    /**
     * The union of an rdma_cm_event.
     *
     * @param inboundReads of a connection: Reads and atomics that the peer serves at a time
     * @param outboundReads of a connection: Reads and atomics that the peer can have outstanding
     * @param address of datagrams: an ibv_ah_attr
     * @param queuePairNumber of datagrams: number of the queue pair at that address
     * @param qkey of datagrams: its Q_Key
     */
    public record Terms(int inboundReads, int outboundReads, byte[] address, int queuePairNumber, int qkey) {}

    /** Kinds in the order of the enumeration in C. */
    public enum Type {
        ADDR_RESOLVED,
        ADDR_ERROR,
        ROUTE_RESOLVED,
        ROUTE_ERROR,
        CONNECT_REQUEST,
        CONNECT_RESPONSE,
        CONNECT_ERROR,
        UNREACHABLE,
        REJECTED,
        ESTABLISHED,
        DISCONNECTED,
        DEVICE_REMOVAL,
        MULTICAST_JOIN,
        MULTICAST_ERROR,
        OTHER
    }

    private static final Type[] TYPES = Type.values();

    /** Copies an rdma_cm_event. */
    public static CmEvent copy(long event) {
        int type = Native.intAt(event + RdmaCmEvent.EVENT);
        int length = Native.byteAt(event + RdmaCmEvent.CONN_PRIVATE_DATA_LEN);
        long data = Native.longAt(event + RdmaCmEvent.CONN_PRIVATE_DATA);
        return new CmEvent(
                Native.longAt(event + RdmaCmEvent.ID),
                Native.longAt(event + RdmaCmEvent.LISTEN_ID),
                TYPES[Math.clamp(type, 0, TYPES.length - 1)],
                Native.intAt(event + RdmaCmEvent.STATUS),
                data == 0 ? new byte[0] : Native.bytes(data, length),
                new Terms(
                        Native.byteAt(event + RdmaCmEvent.CONN_INITIATOR_DEPTH),
                        Native.byteAt(event + RdmaCmEvent.CONN_RESPONDER_RESOURCES),
                        Native.bytes(event + RdmaCmEvent.UD_AH_ATTR, IbvAhAttr.STRUCT.sizeBytes()),
                        Native.intAt(event + RdmaCmEvent.UD_QP_NUM),
                        Native.intAt(event + RdmaCmEvent.UD_QKEY)));
    }
}
