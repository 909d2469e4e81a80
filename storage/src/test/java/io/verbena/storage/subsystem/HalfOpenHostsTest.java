package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.CmRequest;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.RejectReason;
import io.verbena.storage.wire.Status;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A queue has memory for one Connect until the Connect is accepted. */
class HalfOpenHostsTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";
    private static final int CONNECT_BYTES = 4096;
    private static final int SLOTS = 32;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final String NETWORK = "192.0.2.9";

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final TargetLimits limits = TargetLimits.defaults();
    private final StorageTarget target = new StorageTarget(limits);

    @BeforeEach
    void add() {
        Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
        target.add(subsystem);
        target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
    }

    @AfterEach
    void close() {
        device.close();
    }

    /** An admin queue with as much memory as the driver gives it. */
    private static final class Half implements QueueOutput {
        final MemorySegment capsules;
        final TargetQueue queue;
        final boolean memoryLeft;
        boolean grown;
        boolean closed;
        int status = -1;
        Optional<Command> fetching = Optional.empty();

        Half(StorageTarget target, boolean memoryLeft) {
            this(target, memoryLeft, NETWORK);
        }

        Half(StorageTarget target, boolean memoryLeft, String network) {
            this.memoryLeft = memoryLeft;
            capsules = MemorySegment.ofArray(new byte[SubmissionEntry.LENGTH]);
            QueueMemory first = new QueueMemory(
                    capsules, SubmissionEntry.LENGTH, MemorySegment.ofArray(new byte[CONNECT_BYTES]), CONNECT_BYTES);
            queue = target.open(
                    0, SLOTS, first, this, new HostPath(network, new TargetAddress("192.0.2.1", 4420)), target.nowNs());
        }

        void connect(String subsystem) {
            new SubmissionEntry()
                    .wrap(capsules, 0)
                    .clear()
                    .flags(SubmissionEntry.FLAGS_SGL)
                    .opcode(0x7f)
                    .fabricsType(1)
                    .queueSizeMinusOne(SLOTS - 1)
                    .keepAliveMs(5000)
                    .keyed(0, ConnectData.LENGTH, 7, true);
            queue.onCapsule(0, SubmissionEntry.LENGTH, 0);
            Command command = fetching.orElseThrow();
            new ConnectData()
                    .wrap(command.buffer(), 0)
                    .clear()
                    .hostId(HostScript.HOST_ID)
                    .controllerId(0xffff)
                    .subsystemName(subsystem)
                    .hostName(HOST);
            queue.onFetched(command, true, 0);
        }

        @Override
        public void fetch(Command command, long address, int key, int lengthBytes) {
            fetching = Optional.of(command);
        }

        @Override
        public Optional<QueueMemory> grow(QueueMemory first) {
            grown = memoryLeft;
            return memoryLeft
                    ? Optional.of(new QueueMemory(
                            MemorySegment.ofArray(new byte[SLOTS * SubmissionEntry.LENGTH]),
                            SubmissionEntry.LENGTH,
                            MemorySegment.ofArray(new byte[8 * 131_072]),
                            131_072))
                    : Optional.empty();
        }

        @Override
        public void put(Command command, long address, int key, int lengthBytes) {}

        @Override
        public void run(Command command) {}

        @Override
        public void respond(Command command, CompletionEntry response, boolean invalidate, int key) {
            status = response.status();
            queue.onSent(command, 0);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private Optional<RejectReason> check() {
        return check(NETWORK);
    }

    private Optional<RejectReason> check(String network) {
        byte[] request = new byte[CmRequest.LENGTH];
        new CmRequest()
                .wrap(MemorySegment.ofArray(request), 0)
                .receiveQueueSize(SLOTS)
                .sendQueueSizeMinusOne(SLOTS - 1);
        return target.check(request, network);
    }

    @Test
    void connect_accepted_memoryGrows() {
        Half half = new Half(target, true);
        assertEquals(SubmissionEntry.LENGTH + CONNECT_BYTES, target.figures().memoryBytes());
        half.connect(NAME);
        assertEquals(0, half.status);
        assertTrue(half.grown);
        assertEquals(limits.queueBytes(0, SLOTS), target.figures().memoryBytes());
        assertEquals(131_072, half.queue.command(7).buffer().byteSize());
        assertEquals(131_072, half.queue.command(0).buffer().byteSize());
        half.queue.onClosed();
        assertEquals(0, target.figures().memoryBytes());
    }

    @Test
    void connect_toUnknownSubsystem_memoryDoesNotGrow() {
        Half half = new Half(target, true);
        half.connect("nqn.2026-01.org.example:none");
        assertEquals(Status.CONNECT_PARAMETER.field(), half.status);
        assertTrue(!half.grown);
        half.connect(NAME);
        assertEquals(0, half.status);
    }

    @Test
    void connect_noMemory_isBusyAndLeavesNoController() {
        Half half = new Half(target, false);
        half.connect(NAME);
        assertEquals(Status.CONNECT_BUSY.field(), half.status);
        assertEquals(List.of(), List.copyOf(target.controllers().all()));
        assertEquals(SubmissionEntry.LENGTH + CONNECT_BYTES, target.figures().memoryBytes());
    }

    @Test
    void tenThousandHalfOpenHosts_memoryIsBounded_andAHostConnectsAfterwards() {
        List<Half> halves = new ArrayList<>();
        long refused = 0;
        for (int i = 0; i < 10_000; i++) {
            Optional<RejectReason> refusal = check();
            if (refusal.isEmpty()) {
                halves.add(new Half(target, true));
            } else {
                assertEquals(RejectReason.NO_RESOURCES, refusal.get());
                refused++;
            }
            halves.removeIf(HalfOpenHostsTest::ended);
        }
        assertEquals(0, refused);
        assertEquals(2 * limits.controllers(), halves.size());
        assertTrue(
                target.figures().memoryBytes() < 1 << 20,
                () -> "bytes: " + target.figures().memoryBytes());
        target.onDeadline(10 * SECOND_NS);
        for (Half each : halves) {
            assertTrue(each.closed);
            each.queue.onClosed();
        }
        assertEquals(0, target.openQueues());
        assertEquals(0, target.figures().memoryBytes());
        assertTrue(check().isEmpty());
        Half host = new Half(target, true);
        host.connect(NAME);
        assertEquals(0, host.status);
    }

    private static boolean ended(Half half) {
        if (half.closed) {
            half.queue.onClosed();
        }
        return half.closed;
    }

    @Test
    void allPlacesTakenWithoutAConnect_hostOfTheSameNetwork_getsThatOfTheOldest() {
        List<Half> halves = new ArrayList<>();
        for (int i = 0; i < 2 * limits.controllers(); i++) {
            halves.add(new Half(target, true));
        }
        assertEquals(Optional.empty(), check());
        Half host = new Half(target, true);
        assertTrue(halves.getFirst().closed);
        assertEquals(1, halves.stream().filter(each -> each.closed).count());
        host.connect(NAME);
        assertEquals(0, host.status);
    }

    @Test
    void allPlacesOfOneNetwork_hostOfAnother_getsThatOfTheOldest() {
        List<Half> halves = new ArrayList<>();
        for (int i = 0; i < 2 * limits.controllers(); i++) {
            halves.add(new Half(target, true));
        }
        String other = "192.0.2.10";
        assertEquals(Optional.empty(), check(other));
        Half host = new Half(target, true, other);
        assertEquals(
                halves.subList(0, 1),
                halves.stream().filter(each -> each.closed).toList());
        host.connect(NAME);
        assertEquals(0, host.status);
    }

    /** A model over random arrivals: a network loses a place only to one that has fewer, and keeps at least its equal share. */
    @Test
    void placesTaken_arrivalsOfFiveNetworks_shareThem() {
        Random random = new Random(1);
        int places = 2 * limits.controllers();
        Map<String, List<Half>> halves = new HashMap<>();
        for (int i = 0; i < 5000; i++) {
            String network = "192.0.2." + random.nextInt(1 + i / 1000);
            List<Half> own = halves.computeIfAbsent(network, any -> new ArrayList<>());
            int most = halves.values().stream().mapToInt(List::size).max().orElse(0);
            int taken = halves.values().stream().mapToInt(List::size).sum();
            int before = own.size();
            assertTrue(check(network).isEmpty(), "arrival " + i);
            own.add(new Half(target, true, network));
            halves.values().forEach(each -> each.removeIf(HalfOpenHostsTest::ended));
            assertEquals(
                    Math.min(places, taken + 1),
                    halves.values().stream().mapToInt(List::size).sum());
            assertEquals(taken < places || before < most ? before + 1 : before, own.size(), "arrival " + i);
        }
        halves.values().forEach(each -> assertTrue(each.size() >= places / 5, () -> "places: " + each.size()));
    }
}
