package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.DeviceStatus;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.ConnectData;
import io.verbena.storage.wire.SubmissionEntry;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Explores the life of commands: all orders in which capsules of a few kinds arrive, their data are fetched, devices have results,
 * responses leave and the connection ends, on a queue with two commands and three receives. Each way is replayed from the beginning, and
 * each state is left once by each step.
 */
class CommandLifeTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final String HOST = "nqn.2026-01.org.example:host";
    private static final int SLOTS = 3;
    private static final int CAPSULE_BYTES = SubmissionEntry.LENGTH + 4096;
    private static final int BUFFER_BYTES = 4096;
    private static final int MOST_STEPS = 12;

    private static final MemoryDevice DEVICE = new MemoryDevice(1 << 20, 512);

    /** What can happen next. */
    enum Step {
        READ,
        WRITE,
        WRITE_IN_CAPSULE,
        UNKNOWN_OPCODE,
        EVENT_REQUEST,
        ABORT,
        FETCHED,
        FETCH_FAILED,
        RAN,
        RAN_LAST,
        DEVICE_FAILED,
        SENT,
        SENT_LAST,
        CLOSE,
        CLOSED
    }

    /** A queue that is connected, and what its transport and its device have not reported yet. */
    private static final class Life implements QueueOutput {
        private final StorageTarget target = new StorageTarget(TargetLimits.defaults());
        private final byte[] host = new byte[8192];
        private final MemorySegment capsules = MemorySegment.ofArray(new byte[SLOTS * CAPSULE_BYTES]);
        private final SubmissionEntry entry = new SubmissionEntry();
        private final Deque<Integer> receives = new ArrayDeque<>();
        private final Deque<Command> fetching = new ArrayDeque<>();
        private final Deque<Command> running = new ArrayDeque<>();
        private final Deque<Command> sending = new ArrayDeque<>();
        private final List<Integer> unanswered = new ArrayList<>();
        private final TargetQueue queue;
        private int nextId;
        private boolean closing;
        private boolean closed;

        Life(int queueId) {
            Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
            target.add(subsystem);
            target.put(subsystem, new Namespace(1, DEVICE, new UUID(1, 2)));
            int controller = ConnectData.ANY_CONTROLLER;
            if (queueId != 0) {
                HostScript admin = new HostScript(target, 0, 32);
                controller = (int) admin.connect(NAME, controller, HOST).result();
                admin.enable();
            }
            for (int i = 0; i < SLOTS; i++) {
                receives.add(i);
            }
            MemorySegment data = MemorySegment.ofArray(new byte[2 * BUFFER_BYTES]);
            QueueMemory memory = new QueueMemory(capsules, CAPSULE_BYTES, data, BUFFER_BYTES);
            queue = target.open(
                    queueId, memory, this, new HostPath("192.0.2.9", new TargetAddress("192.0.2.1", 4420)), 0);
            new ConnectData()
                    .wrap(MemorySegment.ofArray(host), 0)
                    .clear()
                    .hostId(HostScript.HOST_ID)
                    .controllerId(controller)
                    .subsystemName(NAME)
                    .hostName(HOST);
            send(e -> e.opcode(0x7f)
                    .fabricsType(1)
                    .queueId(queueId)
                    .queueSizeMinusOne(SLOTS - 1)
                    .keyed(0, ConnectData.LENGTH, 7, true));
            finish();
            if (queueId == 0) {
                send(e -> e.opcode(0x7f).propertyOffset(0x14).propertyValue(0x460001));
                finish();
            }
            assertTrue(queue.controller().orElseThrow().ready());
        }

        private void finish() {
            while (!fetching.isEmpty() || !sending.isEmpty()) {
                if (fetching.isEmpty()) {
                    queue.onSent(sending.remove(), 0);
                } else {
                    queue.onFetched(fetching.remove(), true, 0);
                }
            }
        }

        private void send(Consumer<SubmissionEntry> fill) {
            int slot = receives.remove();
            capsules.asSlice((long) slot * CAPSULE_BYTES, SubmissionEntry.LENGTH)
                    .fill((byte) 0);
            entry.wrap(capsules, (long) slot * CAPSULE_BYTES).flags(0x40).commandId(nextId);
            entry.keyed(0, 0, 0, false);
            fill.accept(entry);
            unanswered.add(nextId++);
            queue.onCapsule(slot, CAPSULE_BYTES, 0);
        }

        /** Whether a step is possible now. */
        boolean can(Step step) {
            boolean admin = queue.id() == 0;
            return switch (step) {
                case READ, WRITE, WRITE_IN_CAPSULE -> !admin && !closing && !receives.isEmpty();
                case EVENT_REQUEST -> admin && !closing && !receives.isEmpty();
                case ABORT -> admin && !closing && !receives.isEmpty() && !unanswered.isEmpty();
                case UNKNOWN_OPCODE -> !closed && !receives.isEmpty();
                case FETCHED, FETCH_FAILED -> !closed && !fetching.isEmpty();
                case RAN, DEVICE_FAILED -> !running.isEmpty();
                case RAN_LAST -> running.size() > 1;
                case SENT -> !closed && !sending.isEmpty();
                case SENT_LAST -> !closed && sending.size() > 1;
                case CLOSE -> !closing;
                case CLOSED -> closing && !closed;
            };
        }

        void take(Step step) {
            switch (step) {
                case READ ->
                    send(e -> e.opcode(2).namespaceId(1).blocksMinusOne(1).keyed(0, 1024, 9, true));
                case WRITE ->
                    send(e -> e.opcode(1).namespaceId(1).blocksMinusOne(1).keyed(0, 1024, 9, true));
                case WRITE_IN_CAPSULE ->
                    send(e -> e.opcode(1).namespaceId(1).blocksMinusOne(1).inCapsule(0, 1024));
                case UNKNOWN_OPCODE -> send(e -> e.opcode(0x55));
                case EVENT_REQUEST -> send(e -> e.opcode(12));
                case ABORT -> send(e -> e.opcode(8).cdw10(unanswered.getFirst() << 16));
                case FETCHED -> queue.onFetched(fetching.remove(), true, 0);
                case FETCH_FAILED -> queue.onFetched(fetching.remove(), false, 0);
                case RAN -> ran(running.remove());
                case RAN_LAST -> ran(running.removeLast());
                case DEVICE_FAILED -> queue.onRun(running.remove(), DeviceStatus.FAILED);
                case SENT -> queue.onSent(sending.remove(), 0);
                case SENT_LAST -> queue.onSent(sending.removeLast(), 0);
                case CLOSE -> queue.close();
                case CLOSED -> {
                    closed = true;
                    queue.onClosed();
                }
            }
            check();
        }

        private void ran(Command command) {
            queue.onRun(command, command.runOnDevice());
        }

        /** What the states say is what the transport and the device have. */
        private void check() {
            StateCounts counts = queue.states();
            assertEquals(2, counts.now().stream().mapToInt(Integer::intValue).sum());
            assertEquals(0, counts.now(CommandState.CHECKING), "a call has returned");
            assertEquals(running.size(), counts.now(CommandState.ON_DEVICE));
            assertEquals(closed ? 0 : sending.size(), counts.now(CommandState.RESPONDING));
            assertEquals(closed ? 0 : fetching.size(), counts.now(CommandState.FETCHING));
            assertEquals(closed && running.isEmpty(), queue.drained());
            if (!closing) {
                int inReceives = SLOTS - receives.size() - (2 - counts.now(CommandState.FREE)) + sending.size();
                assertTrue(
                        inReceives == 0 || counts.now(CommandState.FREE) == 0, "a capsule waits beside a free command");
                assertEquals(unanswered.size(), SLOTS - receives.size(), "each capsule has one response");
            }
        }

        String state() {
            return queue.states().now() + " " + closing + closed + receives.size() + kinds(fetching) + kinds(running)
                    + kinds(sending);
        }

        private static List<Integer> kinds(Deque<Command> commands) {
            return commands.stream().map(Command::opcode).toList();
        }

        @Override
        public void fetch(Command command, long address, int key, int lengthBytes) {
            MemorySegment.copy(MemorySegment.ofArray(host), address, command.buffer(), 0, lengthBytes);
            fetching.add(command);
        }

        @Override
        public void put(Command command, long address, int key, int lengthBytes) {}

        @Override
        public void run(Command command) {
            running.add(command);
        }

        @Override
        public void respond(Command command, CompletionEntry response, boolean invalidate, int key) {
            assertTrue(!closing, "no response after the end");
            assertTrue(unanswered.remove((Integer) response.commandId()), "a second response");
            receives.add(command.slot());
            sending.add(command);
        }

        @Override
        public void close() {
            closing = true;
        }
    }

    @AfterAll
    static void closeDevice() {
        DEVICE.close();
    }

    /** Queue 0 has the commands that wait, queue 1 those with data. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void orders_ofAllSteps_keepTheTable(int queueId) {
        Set<String> seen = new HashSet<>();
        Set<CommandState> reached = new HashSet<>();
        Deque<List<Step>> ways = new ArrayDeque<>(List.of(List.of()));
        while (!ways.isEmpty()) {
            List<Step> way = ways.remove();
            for (Step step : Step.values()) {
                Life life = new Life(queueId);
                way.forEach(life::take);
                if (!life.can(step)) {
                    continue;
                }
                life.take(step);
                for (CommandState each : CommandState.values()) {
                    if (life.queue.states().entered(each) > 0) {
                        reached.add(each);
                    }
                }
                if (seen.add(life.state()) && way.size() + 1 < MOST_STEPS) {
                    List<Step> longer = new ArrayList<>(way);
                    longer.add(step);
                    ways.add(longer);
                }
            }
        }
        Set<CommandState> expected = new HashSet<>(Set.of(CommandState.values()));
        expected.remove(queueId == 0 ? CommandState.ON_DEVICE : CommandState.WAITING);
        assertEquals(expected, reached);
        assertTrue(seen.size() > 20, () -> "states: " + seen.size());
    }
}
