package io.verbena.hardware.abi;

/**
 * An asynchronous event. {@code struct ibv_async_event} of infiniband/verbs.h, the same in rdma-core 44 to 65 on 64-bit machines.
 *
 * <pre>
 * offset member, bytes
 *     0 element    8
 *     8 event_type 4
 *    12 … (not used)
 * </pre>
 */
public final class IbvAsyncEvent {

    public static final Struct STRUCT = new Struct("ibv_async_event", 16);

    public static final int ELEMENT = STRUCT.at("element", 0);
    public static final int EVENT_TYPE = STRUCT.at("event_type", 8);

    private IbvAsyncEvent() {}
}
