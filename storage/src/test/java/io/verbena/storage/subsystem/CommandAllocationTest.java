package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.management.ThreadMXBean;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.DeallocateRange;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Commands of an I/O queue, answered with success or with an error, allocate nothing; nor do deadlines without an event. */
class CommandAllocationTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final int CAPSULE_BYTES = SubmissionEntry.LENGTH + 8192;
    private static final MemorySegment ZEROES = MemorySegment.ofArray(new byte[SubmissionEntry.LENGTH]);
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final StorageTarget target = new StorageTarget(TargetLimits.defaults());
    private final Wires wires = new Wires();

    /** Kinds of commands. */
    enum Kind {
        READ,
        WRITE,
        WRITE_IN_CAPSULE,
        DEALLOCATE,
        FLUSH,
        PAST_THE_END,
        UNKNOWN_OPCODE,
        DEADLINE
    }

    /** Reports every transfer as complete at once. */
    private static final class Wires implements QueueOutput {
        private Optional<TargetQueue> queue = Optional.empty();
        private int status;
        private boolean fetching;
        private boolean running;
        private boolean sent;
        private int last;

        @Override
        public void fetch(Command command, long address, int key, int lengthBytes) {
            last = command.index();
            fetching = true;
        }

        @Override
        public void put(Command command, long address, int key, int lengthBytes) {}

        @Override
        public void run(Command command) {
            last = command.index();
            running = true;
        }

        @Override
        public void respond(Command command, CompletionEntry response, boolean invalidate, int key) {
            last = command.index();
            status = response.status();
            sent = true;
        }

        @Override
        public void close() {}

        TargetQueue queue() {
            return queue.orElseThrow();
        }

        private Command command() {
            return queue().command(last);
        }

        void settle() {
            if (fetching) {
                fetching = false;
                queue().onFetched(command(), true, 0);
            }
            if (running) {
                running = false;
                queue().onRun(command(), command().runOnDevice());
            }
            if (sent) {
                sent = false;
                queue().onSent(command(), 0);
            }
        }
    }

    private final MemorySegment capsules = MemorySegment.ofArray(new byte[2 * CAPSULE_BYTES]);
    private final SubmissionEntry entry = new SubmissionEntry();
    private final DeallocateRange range = new DeallocateRange();

    @BeforeEach
    void connect() {
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        HostScript admin = new HostScript(target, 0, 32);
        int controller = (int)
                admin.connect(NAME, 0xffff, "nqn.2026-01.org.example:host").result();
        admin.enable();
        MemorySegment data = MemorySegment.ofArray(new byte[2 * 131_072]);
        QueueMemory memory = new QueueMemory(capsules, CAPSULE_BYTES, data, 131_072);
        wires.queue = Optional.of(
                target.open(1, memory, wires, new HostPath("192.0.2.9", new TargetAddress("192.0.2.1", 4420)), 0));
        entry.wrap(capsules, 0)
                .clear()
                .flags(0x40)
                .opcode(0x7f)
                .fabricsType(1)
                .queueId(1)
                .queueSizeMinusOne(1);
        entry.inCapsule(0, 1024);
        MemorySegment.copy(admin.memory, 0, capsules, ValueLayout.JAVA_BYTE, 64, 1024);
        capsules.set(ValueLayout.JAVA_BYTE, 64 + 16, (byte) controller);
        capsules.set(ValueLayout.JAVA_BYTE, 64 + 17, (byte) 0);
        wires.queue().onCapsule(0, 64 + 1024, 0);
        wires.settle();
        assertEquals(0, wires.status);
    }

    @AfterEach
    void close() {
        device.close();
    }

    private void command(Kind kind, int i) {
        if (kind == Kind.DEADLINE) {
            target.onDeadline(i);
            return;
        }
        MemorySegment.copy(ZEROES, 0, capsules, 0, SubmissionEntry.LENGTH); // a slice would be an object
        entry.wrap(capsules, 0).flags(0x40).commandId(i & 0xffff).namespaceId(1);
        int status = 0;
        switch (kind) {
            case READ ->
                entry.opcode(2).keyed(0, 4096, 9, true).firstBlock(i & 63).blocksMinusOne(7);
            case WRITE ->
                entry.opcode(1).keyed(0, 4096, 9, true).firstBlock(i & 63).blocksMinusOne(7);
            case WRITE_IN_CAPSULE ->
                entry.opcode(1).inCapsule(0, 4096).firstBlock(i & 63).blocksMinusOne(7);
            case DEALLOCATE -> {
                entry.opcode(9).inCapsule(0, DeallocateRange.LENGTH).cdw11(4);
                range.wrap(capsules, 64).firstBlock(i & 63).blocks(3);
            }
            case FLUSH -> entry.opcode(0).keyed(0, 0, 0, false);
            case PAST_THE_END -> {
                entry.opcode(2).keyed(0, 4096, 9, true).firstBlock(2047).blocksMinusOne(7);
                status = 0x4080;
            }
            case UNKNOWN_OPCODE -> {
                entry.opcode(0x55).keyed(0, 0, 0, false);
                status = 0x4001;
            }
            case DEADLINE -> throw new AssertionError();
        }
        wires.status = -1;
        wires.queue().onCapsule(0, CAPSULE_BYTES, 0);
        wires.settle();
        assertEquals(status, wires.status);
    }

    @ParameterizedTest
    @EnumSource
    void warmedUp_commands_allocateNothing(Kind kind) {
        long least = Long.MAX_VALUE;
        // Accesses to memory through method handles allocate until they are compiled.
        for (int round = 0; round < 60 && least > 0; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 2000; i++) {
                command(kind, i);
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertEquals(0, least);
    }
}
