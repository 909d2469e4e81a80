package io.verbena.storage.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.IoOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Requests on blocks allocate nothing in the engine of the host, and neither do deadlines at which nothing is due. */
class HostAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int DEPTH = 4;

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final SubmissionQueue[] queues = new SubmissionQueue[2];
    private final int[] sent = new int[64];
    private int ended;
    private int sends;
    private final BlockRequest request = new BlockRequest(_ -> ended++);

    @ParameterizedTest
    @EnumSource(
            value = IoOpcode.class,
            names = {"READ", "WRITE", "FLUSH", "WRITE_ZEROES", "DATASET_MANAGEMENT"})
    void warmedUp_requests_allocateNothing(IoOpcode opcode) {
        StorageHost host = host();
        MemorySegment memory = MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]);
        CompletionEntry response = new CompletionEntry().wrap(memory, 0);
        RemoteNamespace namespace = host.namespaces().iterator().next();
        measure(i -> {
            // Three commands of 128 KiB, where the request is divided.
            request.set(opcode, namespace, i & 63, opcode == IoOpcode.FLUSH ? 0 : 700, false)
                    .data(0, 0);
            host.submit(request);
            host.advance(i);
            while (sends > 0) {
                response.clear().commandId(sent[--sends]);
                host.onResponse(queues[1], response, CompletionEntry.LENGTH, i);
            }
        });
    }

    @Test
    void warmedUp_deadlines_allocateNothing() {
        StorageHost host = host();
        measure(i -> host.onDeadline(i));
    }

    private StorageHost host() {
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(EngineWires.NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        EngineWires wires = new EngineWires(target, 1, DEPTH, HostTimes.defaults(), 1 << 20);
        wires.answering = Optional.of((queue, slot) -> {
            queues[queue.id()] = queue;
            sent[sends++] = queue.entry(slot).commandId();
        });
        wires.host.open(0);
        wires.settle();
        assertEquals(HostState.LIVE, wires.host.state(), wires.host.reason());
        return wires.host;
    }

    private interface Use {
        void accept(int i);
    }

    private void measure(Use use) {
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 60 && least > 0; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            ended = 0;
            for (int i = 0; i < 2000; i++) {
                use.accept(i);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        device.close();
        assertEquals(0, least);
    }
}
