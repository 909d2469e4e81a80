package io.verbena.storage.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.IoOpcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The host as scripts with explicit time, with the target of this library as its peer, and with hostile ones. */
class StorageHostTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final HostTimes TIMES =
            new HostTimes(4 * SECOND_NS, 3 * SECOND_NS, 20 * SECOND_NS, SECOND_NS, 10 * SECOND_NS);

    private final MemoryDevice device = new MemoryDevice(1 << 20, 512);
    private final Subsystem subsystem = new Subsystem(EngineWires.NAME, "serial", Set.of());
    private final StorageTarget target = target();
    private final EngineWires wires = new EngineWires(target, 2, 4, TIMES, 1 << 20);
    private final List<Integer> statuses = new ArrayList<>();

    private StorageTarget target() {
        StorageTarget storageTarget = new StorageTarget(TargetLimits.defaults());
        storageTarget.add(subsystem);
        storageTarget.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
        return storageTarget;
    }

    @AfterEach
    void close() {
        device.close();
    }

    private void live() {
        wires.host.open(wires.nowNs);
        wires.settle();
        assertEquals(HostState.LIVE, wires.host.state(), wires.host.reason());
    }

    private BlockRequest request(IoOpcode opcode, long first, long count) {
        BlockRequest request = new BlockRequest(ended -> statuses.add(ended.status()));
        return request.set(opcode, wires.namespace(), first, count, false).data(0, 0);
    }

    private void submit(IoOpcode opcode, long first, long count) {
        wires.host.submit(request(opcode, first, count));
    }

    private List<Integer> ended() {
        List<Integer> copy = List.copyOf(statuses);
        statuses.clear();
        return copy;
    }

    /** Lets time pass in small steps, and everything happen. */
    private void pass(long durationNs) {
        for (long leftNs = durationNs; leftNs > 0; leftNs -= SECOND_NS / 10) {
            wires.pass(SECOND_NS / 10);
            wires.settle();
        }
    }

    @Test
    void idle_opened_becomesLiveWithNamespacesAndQueues() {
        live();
        assertEquals(2, wires.host.ioQueues());
        assertEquals(new UUID(1, 2), wires.namespace().uuid());
        assertEquals(2048, wires.namespace().blocks());
        assertEquals("serial", wires.host.profile().serialNumber());
        assertEquals(131_072, wires.host.profile().limits().transferBytes());
    }

    @Test
    void live_longRequest_isDividedAndEndsOnce() {
        live();
        submit(IoOpcode.WRITE, 0, 2048);
        submit(IoOpcode.FLUSH, 0, 0);
        submit(IoOpcode.READ, 0, 2048);
        wires.settle();
        assertEquals(List.of(0, 0, 0), ended().stream().sorted().toList());
    }

    @Test
    void live_idleForMinutes_isKeptAlive() {
        live();
        pass(120 * SECOND_NS);
        assertEquals(HostState.LIVE, wires.host.state());
        assertEquals("", wires.host.reason());
    }

    @Test
    void live_namespacesChange_areSeenAndRequestsForThoseGoneFail() {
        live();
        BlockRequest old = request(IoOpcode.READ, 0, 1);
        MemoryDevice other = new MemoryDevice(1 << 20, 512);
        target.put(subsystem, new Namespace(2, other, new UUID(1, 3)));
        wires.settle();
        assertEquals(2, wires.host.namespaces().size());
        target.put(subsystem, new Namespace(1, other, new UUID(1, 4)));
        wires.settle();
        assertEquals(new UUID(1, 4), wires.namespace().uuid());
        wires.host.submit(old);
        wires.settle();
        assertEquals(List.of(BlockRequest.GONE), ended());
        target.remove(subsystem, 2);
        wires.settle();
        assertEquals(1, wires.host.namespaces().size());
        other.close();
    }

    @Test
    void live_connectionLostWithRequests_repeatsThemOverTheNextAssociation() {
        live();
        submit(IoOpcode.WRITE, 0, 600);
        wires.host.advance(wires.nowNs);
        wires.wire(1).breakDown();
        wires.settle();
        assertEquals(HostState.WAITING, wires.host.state());
        assertEquals(List.of(), ended());
        pass(2 * SECOND_NS);
        assertEquals(HostState.LIVE, wires.host.state());
        assertEquals(List.of(0), ended());
    }

    @Test
    void live_targetGoneForTooLong_failsRequestsAndGivesUp() {
        live();
        submit(IoOpcode.WRITE, 0, 600);
        wires.host.advance(wires.nowNs);
        submit(IoOpcode.READ, 0, 600);
        wires.kill();
        pass(9 * SECOND_NS);
        assertEquals(List.of(), ended());
        pass(2 * SECOND_NS);
        assertEquals(HostState.LOST, wires.host.state());
        assertEquals(List.of(BlockRequest.LOST, BlockRequest.LOST), ended());
        submit(IoOpcode.FLUSH, 0, 0);
        assertEquals(List.of(BlockRequest.LOST), ended());
    }

    @Test
    void reconnected_anotherDiskUnderTheNumber_getsNoOldRequests() {
        live();
        submit(IoOpcode.WRITE, 0, 600);
        wires.host.advance(wires.nowNs);
        wires.kill();
        StorageTarget again = new StorageTarget(TargetLimits.defaults());
        Subsystem other = new Subsystem(EngineWires.NAME, "serial", Set.of());
        again.add(other);
        again.put(other, new Namespace(1, device, new UUID(9, 9)));
        wires.target = Optional.of(again);
        pass(3 * SECOND_NS);
        assertEquals(List.of(BlockRequest.GONE), ended());
    }

    @Test
    void live_targetSilent_isLeftAfterTheTimeForCommands() {
        live();
        submit(IoOpcode.READ, 0, 1);
        wires.host.advance(wires.nowNs);
        // The admin queue still answers.
        for (int i = 0; i < 199; i++) {
            wires.pass(SECOND_NS / 10);
            while (EngineWires.runOne(wires.wire(0).toTarget) | EngineWires.runOne(wires.wire(0).toHost)) {
                assertEquals(HostState.LIVE, wires.host.state());
            }
        }
        wires.pass(SECOND_NS / 10);
        assertEquals(HostState.ENDING, wires.host.state());
        assertTrue(wires.host.reason().contains("in time"));
        pass(2 * SECOND_NS);
        assertEquals(List.of(0), ended());
    }

    @Test
    void live_closed_shutsDownAndFailsWhatIsLeft() {
        live();
        submit(IoOpcode.READ, 0, 1);
        wires.host.advance(wires.nowNs);
        wires.host.close(wires.nowNs);
        wires.settle();
        assertEquals(HostState.CLOSED, wires.host.state());
        assertEquals(List.of(BlockRequest.CLOSED), ended());
        assertEquals("", wires.host.reason());
    }

    @Test
    void anyStep_closed_isClosedInTheEnd() {
        for (int steps = 0; steps < 120; steps++) {
            EngineWires each = new EngineWires(target(), 2, 4, TIMES, 4096);
            each.host.open(0);
            for (int i = 0; i < steps; i++) {
                for (EngineWires.Wire wire : List.copyOf(each.wires)) {
                    if (EngineWires.runOne(i % 2 == 0 ? wire.toTarget : wire.toHost)) {
                        break;
                    }
                }
            }
            each.host.close(0);
            each.settle();
            assertEquals(HostState.CLOSED, each.host.state(), "after " + steps + " steps");
        }
    }

    @Test
    void firstAttempt_refused_givesUpWithTheReason() {
        EngineWires wrong = new EngineWires(new StorageTarget(TargetLimits.defaults()), 1, 4, TIMES, 4096);
        wrong.host.open(0);
        wrong.settle();
        assertEquals(HostState.LOST, wrong.host.state());
        assertEquals(
                "The target has no subsystem " + EngineWires.NAME + ", status CONNECT_PARAMETER (0x4182).",
                wrong.host.reason());
    }

    @Test
    void firstAttempt_hostNotAllowed_namesTheHost() {
        StorageTarget choosy = new StorageTarget(TargetLimits.defaults());
        choosy.add(new Subsystem(EngineWires.NAME, "serial", Set.of("nqn.2026-01.org.example:friend")));
        EngineWires stranger = new EngineWires(choosy, 1, 4, TIMES, 4096);
        stranger.host.open(0);
        stranger.settle();
        assertEquals(
                "The target does not let the host nqn.2026-01.org.example:host use the subsystem " + EngineWires.NAME
                        + ", status CONNECT_HOST (0x4184): add this host at the target.",
                stranger.host.reason());
    }

    // ---- Errors of commands

    private static final int READ_ERROR = 0x281;

    @Test
    void command_failingForNow_isRepeatedFiveTimes() {
        live();
        submit(IoOpcode.READ, 0, 1);
        wires.host.advance(wires.nowNs);
        for (int attempt = 0; attempt < 6; attempt++) {
            assertEquals(List.of(), ended());
            answerAll(READ_ERROR);
            wires.host.advance(wires.nowNs);
        }
        assertEquals(List.of(READ_ERROR), ended());
    }

    @Test
    void command_failingForGood_isNotRepeated() {
        live();
        submit(IoOpcode.READ, 0, 1);
        wires.host.advance(wires.nowNs);
        answerAll(0x4000 | READ_ERROR);
        assertEquals(List.of(0x4000 | READ_ERROR), ended());
    }

    /** Answers the commands in flight of the I/O queues in place of the target. */
    private void answerAll(int status) {
        for (int id = 1; id <= 2; id++) {
            EngineWires.Wire wire = wires.wire(id);
            wire.toTarget.clear();
            for (int slot = 0; slot < 4; slot++) {
                if (wire.near.busy(slot)) {
                    wire.answer(response(wire.near.entry(slot).commandId(), status), CompletionEntry.LENGTH);
                }
            }
        }
    }

    private static MemorySegment response(int commandId, int status) {
        MemorySegment memory = MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]);
        new CompletionEntry().wrap(memory, 0).commandId(commandId).status(status);
        return memory;
    }

    // ---- Hostile targets

    static Stream<Arguments> violations() {
        return Stream.of(
                violation("an identifier that is not in flight", w -> w.answer(response(0x3ff, 0), 16)),
                violation(
                        "an identifier of an earlier use",
                        w -> w.answer(response(w.near.entry(0).commandId() ^ 1 << 10, 0), 16)),
                violation("a slot that does not exist", w -> w.answer(response(0xffff, 0), 16)),
                violation(
                        "a short response",
                        w -> w.answer(response(w.near.entry(0).commandId(), 0), 8)),
                violation("an empty response", w -> w.answer(response(0, 0), 0)));
    }

    private static Arguments violation(String name, Consumer<EngineWires.Wire> action) {
        return Arguments.of(name, action);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("violations")
    void live_targetViolatesTheProtocol_isLeftAndRequestsAreRepeated(String name, Consumer<EngineWires.Wire> action) {
        live();
        submit(IoOpcode.WRITE, 0, 600);
        wires.host.advance(wires.nowNs);
        action.accept(wires.wire(1));
        assertEquals(HostState.ENDING, wires.host.state(), name);
        assertFalse(wires.host.reason().isEmpty());
        pass(2 * SECOND_NS);
        assertEquals(HostState.LIVE, wires.host.state());
        assertEquals(List.of(0), ended());
    }

    @Test
    void answerTwice_ofOneCommand_isAViolation() {
        live();
        submit(IoOpcode.READ, 0, 1);
        wires.host.advance(wires.nowNs);
        int id = wires.wire(1).near.busy(3) ? 1 : 2;
        EngineWires.Wire wire = wires.wire(id);
        int slot = wire.near.depth() - 1;
        while (!wire.near.busy(slot)) {
            slot--;
        }
        MemorySegment answer = response(wire.near.entry(slot).commandId(), 0);
        wire.answer(answer, 16);
        assertEquals(HostState.LIVE, wires.host.state());
        wire.answer(answer, 16);
        assertEquals(HostState.ENDING, wires.host.state());
        assertEquals(List.of(0), ended());
    }

    @Test
    void discovery_ofManySubsystems_readsAllPages() {
        StorageTarget many = new StorageTarget(TargetLimits.defaults());
        for (int i = 0; i < 11; i++) {
            many.add(new Subsystem("nqn.many:" + i, "serial", Set.of()));
        }
        HostSettings settings = new HostSettings(StorageHost.DISCOVERY, wires.settings.host(), 1, 1, TIMES);
        EngineWires discovering = new EngineWires(many, settings, 4096);
        discovering.host.open(0);
        discovering.settle();
        assertEquals(HostState.LIVE, discovering.host.state(), discovering.host.reason());
        assertEquals(11, discovering.host.discovered().size());
        assertEquals("4420", discovering.host.discovered().getFirst().service());
    }
}
