package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** A host as a script: sends capsules to a queue of a target, and is its {@link QueueOutput}. Memory of the host is one array. */
final class HostScript implements QueueOutput {
    static final byte[] HOST_ID = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    static final int CAPSULE_BYTES = 64 + 8192;

    record Response(int commandId, int status, long result, boolean invalidate, int key) {}

    final byte[] memory = new byte[1 << 20];
    final Deque<Response> responses = new ArrayDeque<>();
    final List<Command> held = new ArrayList<>();
    final MemorySegment capsules;
    final TargetQueue queue;
    boolean holdDevice;
    boolean holdFetch;
    boolean closed;
    long nowNs;
    private int nextId;
    private final Deque<Integer> freeSlots = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final Deque<Runnable> fetches = new ArrayDeque<>();

    HostScript(StorageTarget target, int queueId, int slots) {
        this(target, queueId, slots, "192.0.2.9");
    }

    HostScript(StorageTarget target, int queueId, int slots, String network) {
        this(target, queueId, slots, new HostPath(network, new TargetAddress("192.0.2.1", 4420)));
    }

    HostScript(StorageTarget target, int queueId, int slots, HostPath path) {
        capsules = Arena.ofAuto().allocate((long) slots * CAPSULE_BYTES);
        MemorySegment data = Arena.ofAuto().allocate((long) Math.min(slots, 8) * 131072);
        for (int i = 0; i < slots; i++) {
            freeSlots.add(i);
        }
        QueueMemory shape = new QueueMemory(capsules, CAPSULE_BYTES, data, 131072);
        queue = target.open(queueId, shape, this, path, target.nowNs());
    }

    /** Sends a capsule and lets the target finish what it can. Returns the command identifier. */
    int send(int dataBytes, Consumer<SubmissionEntry> fill) {
        int slot = freeSlots.remove();
        long at = (long) slot * CAPSULE_BYTES;
        capsules.asSlice(at, 64).fill((byte) 0);
        SubmissionEntry entry = new SubmissionEntry().wrap(capsules, at);
        int id = nextId++ & 0xffff;
        entry.flags(0x40).commandId(id).keyed(0, 0, 0, false);
        fill.accept(entry);
        queue.onCapsule(slot, 64 + dataBytes, nowNs);
        settle();
        return id;
    }

    /** Receives that hold a capsule. */
    int busySlots() {
        return queue.slots() - freeSlots.size();
    }

    void settle() {
        for (Runnable next = later.poll(); next != null; next = later.poll()) {
            next.run();
        }
    }

    Response call(Consumer<SubmissionEntry> fill) {
        int id = send(0, fill);
        Response response = responses.removeLast();
        assertEquals(id, response.commandId());
        return response;
    }

    int status(Consumer<SubmissionEntry> fill) {
        return call(fill).status();
    }

    /** Connects the queue as Linux does, with the data at the start of memory. */
    Response connect(String subsystem, int controllerId, String host) {
        new ConnectData()
                .wrap(MemorySegment.ofArray(memory), 0)
                .clear()
                .hostId(HOST_ID)
                .controllerId(controllerId)
                .subsystemName(subsystem)
                .hostName(host);
        return call(this::connectEntry);
    }

    void connectEntry(SubmissionEntry entry) {
        entry.opcode(0x7f)
                .fabricsType(1)
                .queueId(queue.id())
                .queueSizeMinusOne(queue.slots() - 1)
                .keepAliveMs(5000);
        entry.keyed(0, ConnectData.LENGTH, 7, true);
    }

    void enable() {
        assertEquals(
                0,
                status(e -> e.opcode(0x7f).fabricsType(0).propertyOffset(0x14).propertyValue(0x460001)));
        assertEquals(
                1, call(e -> e.opcode(0x7f).fabricsType(4).propertyOffset(0x1c)).result());
    }

    @Override
    public void fetch(Command command, long address, int key, int lengthBytes) {
        MemorySegment.copy(MemorySegment.ofArray(memory), address, command.buffer(), 0, lengthBytes);
        (holdFetch ? fetches : later).add(() -> queue.onFetched(command, true, nowNs));
    }

    void releaseFetches() {
        later.addAll(fetches);
        fetches.clear();
        settle();
    }

    @Override
    public void put(Command command, long address, int key, int lengthBytes) {
        MemorySegment.copy(command.buffer(), 0, MemorySegment.ofArray(memory), address, lengthBytes);
    }

    @Override
    public void run(Command command) {
        if (holdDevice) {
            held.add(command);
        } else {
            later.add(() -> queue.onRun(command, command.runOnDevice()));
        }
    }

    void releaseDevice() {
        List<Command> released = List.copyOf(held);
        held.clear();
        released.forEach(command -> queue.onRun(command, command.runOnDevice()));
        settle();
    }

    @Override
    public void respond(Command command, CompletionEntry entry, boolean invalidate, int key) {
        assertTrue(!closed);
        responses.add(new Response(entry.commandId(), entry.status(), entry.result(), invalidate, key));
        freeSlots.add(command.slot());
        later.add(() -> queue.onSent(command, nowNs));
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            later.add(queue::onClosed);
        }
    }
}
