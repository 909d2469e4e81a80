package io.verbena.storage.host;

import io.verbena.storage.subsystem.Command;
import io.verbena.storage.subsystem.HostIdentity;
import io.verbena.storage.subsystem.HostPath;
import io.verbena.storage.subsystem.QueueMemory;
import io.verbena.storage.subsystem.QueueOutput;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.TargetAddress;
import io.verbena.storage.subsystem.TargetQueue;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.DataPointer;
import io.verbena.storage.wire.DeallocateRange;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * A host and a target in one thread, with wires between them that deliver when the test says so. Each connection keeps its order in each
 * direction; devices and different connections do not.
 */
final class EngineWires implements HostOutput {
    static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String NETWORK = "192.0.2.9";
    private static final int IN_CAPSULE_BYTES = 8192;
    private static final int CAPSULE_BYTES = SubmissionEntry.LENGTH + IN_CAPSULE_BYTES;
    private static final int BUFFER_BYTES = 131_072;
    private static final int PAGE_KEY = 1;
    private static final int DATA_KEY = 2;

    final StorageHost host;
    final HostSettings settings;
    final MemorySegment data;
    final List<Wire> wires = new ArrayList<>();
    /** Work of devices that has not ended, of all connections and of targets that were killed. */
    final List<Runnable> devices = new ArrayList<>();

    private final Map<Integer, Wire> current = new HashMap<>();
    Optional<StorageTarget> target;
    long nowNs;
    int changes;
    /** Takes the commands on blocks in place of the target. */
    Optional<Answering> answering = Optional.empty();

    interface Answering {
        void sent(SubmissionQueue queue, int slot);
    }

    EngineWires(StorageTarget target, int queues, int depth, HostTimes times, int dataBytes) {
        this(
                target,
                new HostSettings(
                        NAME, new HostIdentity("nqn.2026-01.org.example:host", new UUID(3, 4)), queues, depth, times),
                dataBytes);
    }

    EngineWires(StorageTarget target, HostSettings settings, int dataBytes) {
        this.target = Optional.of(target);
        this.settings = settings;
        data = MemorySegment.ofArray(new byte[dataBytes]);
        List<HostMemory> memories = new ArrayList<>();
        for (int id = 0; id <= settings.queues(); id++) {
            int slots = StorageHost.depth(settings, id);
            memories.add(new HostMemory(
                    MemorySegment.ofArray(new byte[slots * SubmissionEntry.LENGTH]),
                    MemorySegment.ofArray(new byte[StorageHost.pageBytes(slots)])));
        }
        host = new StorageHost(settings, memories, this);
    }

    /** One connection. */
    final class Wire implements QueueOutput {
        final SubmissionQueue near;
        final Deque<Runnable> toTarget = new ArrayDeque<>();
        final Deque<Runnable> toHost = new ArrayDeque<>();
        private final CompletionEntry response = new CompletionEntry();
        private final MemorySegment responseMemory = MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]);
        private final ArrayDeque<Integer> slots = new ArrayDeque<>();
        private Optional<TargetQueue> far = Optional.empty();
        private MemorySegment capsules = MemorySegment.NULL;
        boolean broken;
        boolean targetGone;

        Wire(SubmissionQueue near) {
            this.near = near;
            toTarget.add(this::establish);
        }

        private void establish() {
            byte[] request = new byte[CmRequest.LENGTH];
            new CmRequest()
                    .wrap(MemorySegment.ofArray(request), 0)
                    .queueId(near.id())
                    .receiveQueueSize(near.entries())
                    .sendQueueSizeMinusOne(near.entries() - 1);
            if (target.isEmpty() || target.get().check(request, NETWORK).isPresent()) {
                toHost.add(() -> host.onLost(near, "refused", nowNs));
                return;
            }
            int entries = near.entries();
            capsules = MemorySegment.ofArray(new byte[entries * CAPSULE_BYTES]);
            for (int slot = 0; slot < entries; slot++) {
                slots.add(slot);
            }
            MemorySegment buffers = MemorySegment.ofArray(new byte[Math.min(8, entries) * BUFFER_BYTES]);
            QueueMemory memory = new QueueMemory(capsules, CAPSULE_BYTES, buffers, BUFFER_BYTES);
            far = Optional.of(target.get()
                    .open(near.id(), memory, this, new HostPath(NETWORK, new TargetAddress("192.0.2.1", 4420)), nowNs));
            toHost.add(() -> host.onConnected(near, nowNs));
        }

        void capsule(byte[] bytes) {
            toTarget.add(() -> {
                if (far.isPresent()) {
                    int slot = slots.remove();
                    MemorySegment.copy(
                            bytes, 0, capsules, ValueLayout.JAVA_BYTE, (long) slot * CAPSULE_BYTES, bytes.length);
                    far.get().onCapsule(slot, bytes.length, nowNs);
                }
            });
        }

        private MemorySegment memory(int key) {
            return key == PAGE_KEY ? near.memory().page() : data;
        }

        @Override
        public void fetch(Command command, long address, int key, int lengthBytes) {
            toTarget.add(() -> {
                MemorySegment.copy(memory(key), address, command.buffer(), 0, lengthBytes);
                far.orElseThrow().onFetched(command, true, nowNs);
            });
        }

        @Override
        public void put(Command command, long address, int key, int lengthBytes) {
            byte[] bytes = command.buffer().asSlice(0, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
            toHost.add(() -> MemorySegment.copy(bytes, 0, memory(key), ValueLayout.JAVA_BYTE, address, bytes.length));
        }

        @Override
        public void run(Command command) {
            TargetQueue queue = far.orElseThrow();
            devices.add(() -> {
                var status = command.runOnDevice();
                // A target that was killed executes nothing more.
                if (!targetGone) {
                    queue.onRun(command, status);
                }
            });
        }

        @Override
        public void respond(Command command, CompletionEntry entry, boolean invalidate, int key) {
            slots.add(command.slot());
            MemorySegment copy = MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]);
            entry.copyTo(copy, 0, CompletionEntry.LENGTH);
            toHost.add(() -> answer(copy, CompletionEntry.LENGTH));
            TargetQueue queue = far.orElseThrow();
            toTarget.add(() -> queue.onSent(command, nowNs));
        }

        void answer(MemorySegment entry, int lengthBytes) {
            MemorySegment.copy(entry, 0, responseMemory, 0, CompletionEntry.LENGTH);
            host.onResponse(near, response.wrap(responseMemory, 0), lengthBytes, nowNs);
        }

        /** The target ends the connection. */
        @Override
        public void close() {
            breakDown();
        }

        /** The connection is lost: each side learns it when it is its turn. */
        void breakDown() {
            if (!broken) {
                broken = true;
                toTarget.clear();
                toHost.clear();
                toTarget.add(this::farClosed);
                toHost.add(() -> host.onLost(near, "lost", nowNs));
            }
        }

        private void farClosed() {
            if (far.isPresent() && !targetGone) {
                TargetQueue queue = far.get();
                far = Optional.empty();
                queue.onClosed();
            }
        }

        /** The host has ended the connection. */
        void nearClosed() {
            toHost.clear();
            if (!broken) {
                broken = true;
                toTarget.clear();
                toTarget.add(this::farClosed);
            }
            toHost.add(() -> host.onClosed(near, nowNs));
        }
    }

    /** The target is killed: its devices' work may still happen, or not, and nothing else of it. */
    void kill() {
        target = Optional.empty();
        for (Wire wire : wires) {
            wire.targetGone = true;
            wire.breakDown();
            wire.toTarget.clear();
        }
        devices.clear();
    }

    /** Delivers everything, in a fixed order. */
    void settle() {
        boolean any = true;
        while (any) {
            host.advance(nowNs);
            any = false;
            for (Wire wire : List.copyOf(wires)) {
                any |= runOne(wire.toTarget) | runOne(wire.toHost);
            }
            while (!devices.isEmpty()) {
                devices.removeFirst().run();
                any = true;
            }
        }
    }

    static boolean runOne(Deque<Runnable> events) {
        Runnable event = events.poll();
        if (event == null) {
            return false;
        }
        event.run();
        return true;
    }

    void pass(long durationNs) {
        nowNs += durationNs;
        host.onDeadline(nowNs);
        target.ifPresent(each -> each.onDeadline(nowNs));
    }

    Wire wire(int queueId) {
        return Objects.requireNonNull(current.get(queueId));
    }

    RemoteNamespace namespace() {
        return host.namespaces().iterator().next();
    }

    // ---- What the host wants

    @Override
    public void connect(SubmissionQueue queue) {
        Wire wire = new Wire(queue);
        wires.add(wire);
        current.put(queue.id(), wire);
    }

    private void capsule(SubmissionQueue queue, int slot, byte[] after) {
        byte[] bytes = new byte[SubmissionEntry.LENGTH + after.length];
        queue.entry(slot).copyTo(MemorySegment.ofArray(bytes), 0, SubmissionEntry.LENGTH);
        System.arraycopy(after, 0, bytes, SubmissionEntry.LENGTH, after.length);
        wire(queue.id()).capsule(bytes);
    }

    @Override
    public void sendAdmin(SubmissionQueue queue, int slot, PageUse use) {
        queue.entry(slot).keyed(0, use.lengthBytes(), PAGE_KEY, true);
        capsule(queue, slot, new byte[0]);
    }

    @Override
    public void send(SubmissionQueue queue, int slot, BlockCommand command) {
        if (answering.isPresent()) {
            answering.get().sent(queue, slot);
            return;
        }
        SubmissionEntry entry = queue.entry(slot);
        byte[] after = new byte[0];
        if (command.hasRange()) {
            entry.keyed(StorageHost.rangeOffset(slot), DeallocateRange.LENGTH, PAGE_KEY, true);
        } else if (command.inCapsule()) {
            after = data.asSlice(command.offset(), command.lengthBytes()).toArray(ValueLayout.JAVA_BYTE);
            entry.inCapsule(0, after.length);
        } else {
            entry.keyed(command.offset(), command.lengthBytes(), DATA_KEY, true);
        }
        if (entry.dataPointer() == DataPointer.UNKNOWN_TYPE) {
            throw new AssertionError("no data pointer");
        }
        capsule(queue, slot, after);
    }

    @Override
    public void close(SubmissionQueue queue) {
        wire(queue.id()).nearClosed();
    }

    @Override
    public void changed() {
        changes++;
    }
}
