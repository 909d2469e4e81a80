package io.verbena.hardware.provider.cm;

import io.verbena.base.Times;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaConnParam;
import io.verbena.verbs.ConnectionOptions;
import java.lang.foreign.Arena;
import java.net.SocketAddress;

/** What calls of librdmacm take, written to fresh memory. */
public final class CmParameters {

    private static final long NS_PER_MS = 1_000_000;
    private static final int DEFAULT_RETRIES = 7;

    private CmParameters() {}

    /** The timeout of a step that librdmacm limits itself. */
    public static int timeoutMs(ConnectionOptions options) {
        return (int) Math.clamp(Times.nanos(options.timeout()) / NS_PER_MS, 1, Integer.MAX_VALUE);
    }

    public static long address(Arena arena, SocketAddress address) {
        long at = arena.allocate(SocketAddressCodec.BYTES, 8).address();
        SocketAddressCodec.write(at, address);
        return at;
    }

    /** An rdma_conn_param for an exchange about datagrams, which is the first part of one for a connection. */
    public static long datagrams(Arena arena, byte[] data, int queuePairNumber) {
        long bytes = arena.allocate(Math.max(1, data.length), 8).address();
        Native.put(bytes, data);
        long parameters = arena.allocate(RdmaConnParam.STRUCT.sizeBytes(), 8).address();
        Native.putLong(parameters + RdmaConnParam.PRIVATE_DATA, bytes);
        Native.putByte(parameters + RdmaConnParam.PRIVATE_DATA_LEN, data.length);
        Native.putInt(parameters + RdmaConnParam.QP_NUM, queuePairNumber);
        return parameters;
    }

    /** An rdma_conn_param for a connection. */
    public static long connection(
            Arena arena,
            byte[] data,
            int queuePairNumber,
            int inboundReads,
            int outboundReads,
            ConnectionOptions options) {
        long parameters = datagrams(arena, data, queuePairNumber);
        Native.putByte(parameters + RdmaConnParam.RESPONDER_RESOURCES, inboundReads);
        Native.putByte(parameters + RdmaConnParam.INITIATOR_DEPTH, outboundReads);
        Native.putByte(
                parameters + RdmaConnParam.RETRY_COUNT, options.retryCount().orElse(DEFAULT_RETRIES));
        Native.putByte(
                parameters + RdmaConnParam.RNR_RETRY_COUNT,
                options.receiverNotReadyRetries().orElse(DEFAULT_RETRIES));
        return parameters;
    }
}
