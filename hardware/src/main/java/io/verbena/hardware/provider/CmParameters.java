package io.verbena.hardware.provider;

import io.verbena.base.Times;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.SocketAddressCodec;
import io.verbena.hardware.abi.cm.RdmaConnParam;
import io.verbena.verbs.ConnectionOptions;
import java.lang.foreign.Arena;
import java.net.SocketAddress;

/** What calls of librdmacm take, written to fresh memory. */
final class CmParameters {

    private static final long NS_PER_MS = 1_000_000;

    private CmParameters() {}

    /** The timeout of a step that librdmacm limits itself. */
    static int timeoutMs(ConnectionOptions options) {
        return (int) Math.clamp(Times.nanos(options.timeout()) / NS_PER_MS, 1, Integer.MAX_VALUE);
    }

    static long address(Arena arena, SocketAddress address) {
        long at = arena.allocate(SocketAddressCodec.BYTES, 8).address();
        SocketAddressCodec.write(at, address);
        return at;
    }

    /** An rdma_conn_param for an exchange about datagrams, which is the first part of one for a connection. */
    static long datagrams(Arena arena, byte[] data, int queuePairNumber) {
        long bytes = arena.allocate(Math.max(1, data.length), 8).address();
        Native.put(bytes, data);
        long parameters = arena.allocate(RdmaConnParam.STRUCT.sizeBytes(), 8).address();
        Native.putLong(parameters + RdmaConnParam.PRIVATE_DATA, bytes);
        Native.putByte(parameters + RdmaConnParam.PRIVATE_DATA_LEN, data.length);
        Native.putInt(parameters + RdmaConnParam.QP_NUM, queuePairNumber);
        return parameters;
    }
}
