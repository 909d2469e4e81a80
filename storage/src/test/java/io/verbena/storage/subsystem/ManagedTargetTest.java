package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.RejectReason;
import io.verbena.storage.wire.Status;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the owner of a target sees and sets: views of hosts, the write cache, figures, memory. */
class ManagedTargetTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String FIRST = "nqn.2026-01.org.example:first";
    private static final String SECOND = "nqn.2026-01.org.example:second";

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final MemoryDevice hidden = new MemoryDevice(1 << 20, 512);

    @AfterEach
    void close() {
        device.close();
        hidden.close();
    }

    /** A host with an admin queue and an I/O queue. */
    private record Host(HostScript admin, HostScript io, int controller) {
        static Host connect(StorageTarget target, String name) {
            HostScript admin = new HostScript(target, 0, 32);
            int controller = (int) admin.connect(NAME, 0xffff, name).result();
            admin.enable();
            HostScript io = new HostScript(target, 1, 16);
            assertEquals(0, io.connect(NAME, controller, name).status());
            return new Host(admin, io, controller);
        }

        int read(int namespace) {
            return io.status(e -> e.opcode(2)
                    .namespaceId(namespace)
                    .firstBlock(0)
                    .blocksMinusOne(7)
                    .keyed(4096, 4096, 9, true));
        }

        int identify(int namespace, int kind) {
            return admin.status(
                    e -> e.opcode(6).namespaceId(namespace).cdw10(kind).keyed(4096, 4096, 9, true));
        }

        /** The first two numbers of the list of active namespaces. */
        String list() {
            assertEquals(0, identify(0, 2));
            return admin.memory[4096] + " " + admin.memory[4100];
        }
    }

    private StorageTarget target(boolean writeCache) {
        StorageTarget target = new StorageTarget(TargetLimits.defaults());
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of(), writeCache);
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 1)));
        target.put(subsystem, new Namespace(2, hidden, new UUID(1, 2), Set.of(FIRST)));
        return target;
    }

    @Test
    void maskedNamespace_existsOnlyForTheHostThatMaySeeIt() {
        StorageTarget target = target(true);
        Host first = Host.connect(target, FIRST);
        Host second = Host.connect(target, SECOND);
        assertEquals("1 2", first.list());
        assertEquals("1 0", second.list());
        assertEquals(0, first.read(2));
        assertEquals(Status.INVALID_NAMESPACE.field(), second.read(2));
        assertEquals(0, first.identify(2, 3));
        assertEquals(Status.INVALID_NAMESPACE.field(), second.identify(2, 3));
        assertEquals(0, second.read(1));
    }

    @Test
    void maskedNamespace_isRemoved_onlyItsHostIsNotified() {
        StorageTarget target = target(true);
        Host first = Host.connect(target, FIRST);
        Host second = Host.connect(target, SECOND);
        for (Host host : new Host[] {first, second}) {
            assertEquals(0, host.admin.status(e -> e.opcode(9).cdw10(11).cdw11(0x100)));
            host.admin.send(0, e -> e.opcode(12));
        }
        target.remove(target.subsystems().iterator().next(), 2);
        assertEquals(0x04_0002, first.admin.responses.removeLast().result());
        assertTrue(second.admin.responses.isEmpty());
        assertEquals(Status.INVALID_NAMESPACE.field(), first.read(2));
    }

    @Test
    void noWriteCache_noneIsReportedToTheHost_andEveryWriteIsDurable() {
        Host host = Host.connect(target(false), FIRST);
        assertEquals(0, host.identify(0, 1));
        assertEquals(0, host.admin.memory[4096 + 525]);
        assertEquals(
                Status.INVALID_FIELD.field(),
                host.admin.status(e -> e.opcode(9).cdw10(6).cdw11(1)));
        assertEquals(
                Status.INVALID_FIELD.field(),
                host.admin.status(e -> e.opcode(10).cdw10(6)));
        host.io.holdDevice = true;
        host.io.send(0, e -> e.opcode(1).namespaceId(1).blocksMinusOne(0).keyed(4096, 512, 9, true));
        assertTrue(host.io.held.getFirst().slow(), "a durable write waits for the medium");
        host.io.releaseDevice();
    }

    @Test
    void figures_countCommandsOfQueuesAndNamespaces() {
        StorageTarget target = target(true);
        Host host = Host.connect(target, FIRST);
        host.io.holdDevice = true;
        host.io.nowNs = 1_000;
        for (int i = 0; i < 3; i++) {
            host.io.send(0, e -> e.opcode(2).namespaceId(1).blocksMinusOne(7).keyed(4096, 4096, 9, true));
        }
        host.io.nowNs = 1_001_000;
        host.io.releaseDevice();
        host.io.holdDevice = false;
        assertEquals(
                0,
                host.io.status(e -> e.opcode(1).namespaceId(1).blocksMinusOne(1).keyed(4096, 1024, 9, true)));
        assertEquals(0, host.io.status(e -> e.opcode(0).namespaceId(2)));
        assertEquals(Status.INVALID_NAMESPACE.field(), host.read(200));
        TargetFigures figures = target.figures();
        CommandCounts first = figures.namespaces().getFirst().counts();
        assertEquals(new CommandCounts.Transfers(3, 3 * 4096), first.reads());
        assertEquals(new CommandCounts.Transfers(1, 1024), first.writes());
        assertEquals(4, first.latencies().count());
        assertEquals(1_000_000, first.latencies().quantileNs(0.5), 125_000);
        assertEquals(1, figures.namespaces().getLast().counts().flushes());
        TargetFigures.OfQueue queue = figures.queues().getLast();
        assertEquals(1, queue.queueId());
        assertEquals(FIRST, queue.host());
        TargetFigures.Depth depth = queue.depth();
        assertEquals(List.of(0, 3, 16), List.of(depth.now(), depth.most(), depth.entries()));
        assertEquals(8, depth.states().now(CommandState.FREE));
        assertEquals(1, queue.counts().failures());
        assertEquals(1, queue.counts().since(first).flushes());
    }

    @Test
    void latencies_ofAnySize_areAtMostAnEighthTooLarge() {
        for (long spanNs = 1; spanNs < 1L << 60; spanNs = spanNs * 3 + 1) {
            LatencyCounts counts = new LatencyCounts();
            counts.add(spanNs);
            long shown = counts.quantileNs(1);
            assertTrue(shown > spanNs && shown - spanNs <= Math.max(1, spanNs / 8), spanNs + " is shown as " + shown);
        }
        assertEquals(0, new LatencyCounts().quantileNs(0.5));
    }

    private static Optional<RejectReason> request(StorageTarget target, int queueId, int entries) {
        byte[] bytes = new byte[CmRequest.LENGTH];
        new CmRequest()
                .wrap(MemorySegment.ofArray(bytes), 0)
                .queueId(queueId)
                .receiveQueueSize(entries)
                .sendQueueSizeMinusOne(entries - 1);
        return target.check(bytes, "192.0.2.9");
    }

    @Test
    void memoryOfQueues_isBounded_andReturnedWhenTheyEnd() {
        TargetLimits limits = TargetLimits.defaults();
        StorageTarget target = new StorageTarget(limits.withMemoryBytes(7 << 20));
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 1)));
        assertTrue(limits.hostBytes() > 7 << 20);
        Host host = Host.connect(target, FIRST);
        long granted =
                host.admin.call(e -> e.opcode(9).cdw10(7).cdw11(0x0007_0007)).result();
        assertEquals(0, granted & 0xffff, "one queue");
        assertEquals(Optional.empty(), request(target, 0, 32));
        assertEquals(Optional.of(RejectReason.NO_RESOURCES), request(target, 2, 128));
        long used = target.figures().memoryBytes();
        assertTrue(used > 0);
        host.io.holdDevice = true;
        host.io.send(0, e -> e.opcode(2).namespaceId(1).blocksMinusOne(7).keyed(4096, 4096, 9, true));
        host.io.queue.close();
        host.io.settle();
        assertEquals(used, target.figures().memoryBytes(), "a device still writes to it");
        host.io.releaseDevice();
        assertTrue(target.figures().memoryBytes() < used);
        host.admin.queue.close();
        host.admin.settle();
        assertEquals(0, target.figures().memoryBytes());
    }
}
