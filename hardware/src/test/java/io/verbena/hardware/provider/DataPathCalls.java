package io.verbena.hardware.provider;

import io.verbena.hardware.abi.ContextCalls;
import io.verbena.hardware.abi.IbvWc;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.hardware.provider.request.SlotTable;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.IntSupplier;

/**
 * Posting and polling through the provider, and the downcalls that they make, for {@code bench/adapter}. The functions of the adapter
 * are native ones that do nothing, so that the difference is the work of the provider.
 */
public final class DataPathCalls implements AutoCloseable {

    private static final int BYTES = 64;
    private static final Path NONE = Path.of("/none");

    private final FakeLibrary fake = new FakeLibrary();
    private final Arena arena = Arena.ofShared();
    private final Rnic rnic;
    private final ProtectionDomain domain;
    private final CompletionQueue cq;
    private final MemoryRegion region;
    private final HardwareQueuePair queuePair;
    private final CompletionCursor cursor;
    private final ContextCalls calls;
    private final long nativeCq;
    private final long nativeQueuePair;
    private final long memory;

    public DataPathCalls() {
        IbverbsProvider provider = new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), true);
        fake.adapter().nativeDataPath();
        rnic = provider.open(RnicOptions.defaults());
        domain = rnic.allocateProtectionDomain();
        cq = rnic.createCompletionQueue(16);
        region = domain.allocate(4096, AccessRight.LOCAL_WRITE);
        queuePair = (HardwareQueuePair) domain.createQueuePair(cq);
        queuePair.states().assumeConnected();
        cursor = cq.cursor();
        calls = queuePair.domain().rnic().adapter().calls();
        nativeCq = ((HardwareCompletionQueue) cq).cq();
        nativeQueuePair = queuePair.qp();
        memory = arena.allocate((long) HardwareCompletionQueue.BATCH * IbvWc.STRUCT.sizeBytes(), 8)
                .address();
    }

    /** The calls, by the names of the benchmark. */
    public Map<String, IntSupplier> calls() {
        return Map.of(
                "poll", () -> cursor.next() ? 1 : 0,
                "pollDirect", () -> calls.pollCq(nativeCq, HardwareCompletionQueue.BATCH, memory),
                "post", this::post,
                "postDirect", () -> calls.postSend(nativeQueuePair, memory, memory));
    }

    private int post() {
        if (write()) {
            return 0;
        }
        // The queue is full; the adapter would report the last of its requests.
        SlotTable sends = queuePair.sends();
        sends.completeThrough(Math.floorMod(sends.next() - 1, sends.depth()));
        return write() ? 1 : 2;
    }

    private boolean write() {
        return queuePair.postWrite(1, region, 0, BYTES, 0, 0, WrFlags.SIGNALLED);
    }

    @Override
    public void close() {
        queuePair.close();
        region.close();
        cq.close();
        domain.close();
        rnic.close();
        fake.close();
        arena.close();
    }
}
