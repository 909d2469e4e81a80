package io.verbena.hardware.provider;

import io.verbena.hardware.abi.IbvCompChannel;
import io.verbena.hardware.abi.IbvContext;
import io.verbena.hardware.abi.Native;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.provider.device.Adapter;
import io.verbena.hardware.provider.device.EventLoop;
import io.verbena.verbs.CompletionQueueOptions;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One completion channel for each completion vector of an adapter. A CQ keeps its channel for life, and its handler can change, so that the
 * handler is looked up when an event arrives.
 */
final class CompletionChannels implements AutoCloseable {

    private final Adapter adapter;
    private final EventLoop loop;
    private final Arena arena = Arena.ofShared();
    private final long found = arena.allocate(2L * Long.BYTES, Long.BYTES).address();
    private final Map<Integer, Long> byVector = new ConcurrentHashMap<>();
    private final Map<Long, HardwareCompletionQueue> queues = new ConcurrentHashMap<>();

    CompletionChannels(Adapter adapter, EventLoop loop) {
        this.adapter = adapter;
        this.loop = loop;
    }

    HardwareCompletionQueue create(AdapterContext rnic, int number, CompletionQueueOptions options) {
        int vectors = Math.max(1, Native.intAt(adapter.context() + IbvContext.NUM_COMP_VECTORS));
        int vector = number % vectors;
        HardwareCompletionQueue cq = new HardwareCompletionQueue(
                rnic, number, options, byVector.computeIfAbsent(vector, this::open), vector);
        queues.put(cq.cq(), cq);
        return cq;
    }

    private long open(int vector) {
        long channel = adapter.libraries().call(NativeFunction.CREATE_COMP_CHANNEL, adapter.context());
        loop.add(Native.intAt(channel + IbvCompChannel.FD), () -> read(channel));
        return channel;
    }

    /** Takes all events of a channel. Each is acknowledged at once, because destroying a CQ waits for that. */
    private void read(long channel) {
        while (adapter.libraries().attempt(NativeFunction.GET_CQ_EVENT, channel, found, found + Long.BYTES) == 0) {
            long cq = Native.longAt(found);
            adapter.libraries().call(NativeFunction.ACK_CQ_EVENTS, cq, 1);
            HardwareCompletionQueue queue = queues.get(cq);
            if (queue != null) {
                queue.onEvent();
            }
        }
    }

    void remove(HardwareCompletionQueue cq) {
        queues.remove(cq.cq());
        loop.awaitServed(); // an event of it may be under way
    }

    /** Closes the channels, after all CQs. */
    @Override
    public void close() {
        byVector.values().forEach(channel -> {
            int _ = adapter.libraries().attempt(NativeFunction.DESTROY_COMP_CHANNEL, channel);
        });
        arena.close();
    }
}
