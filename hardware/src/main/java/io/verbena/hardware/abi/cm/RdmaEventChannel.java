package io.verbena.hardware.abi.cm;

import io.verbena.hardware.abi.Struct;

/**
 * Where events of the connection manager arrive. {@code struct rdma_event_channel} of rdma/rdma_cma.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 fd 4
 * </pre>
 */
public final class RdmaEventChannel {

    public static final Struct STRUCT = new Struct("rdma_event_channel", 4);

    public static final int FD = STRUCT.at("fd", 0);

    private RdmaEventChannel() {}
}
