package io.verbena.storage.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.IoOpcode;
import io.verbena.storage.wire.Status;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/**
 * Explores the life of commands of a host: all orders in which requests come, capsules are sent, answers of each kind
 * arrive, the association is lost and established again, and the host is closed, with two commands of one queue. Each
 * way is replayed from the beginning, and each state is left once by each step.
 */
class BlockCommandLifeTest {
    private static final long SECOND_NS = 1_000_000_000L;
    private static final HostTimes TIMES =
            new HostTimes(4 * SECOND_NS, 3 * SECOND_NS, 20 * SECOND_NS, SECOND_NS, 1_000 * SECOND_NS);
    private static final int MOST_STEPS = 9;
    private static final int MOST_REQUESTS = 3;
    private static final int DEPTH = 2;
    private static final MemoryDevice DEVICE = new MemoryDevice(1 << 20, 512);

    /** What can happen next. */
    private enum Step {
        SUBMIT,
        ADVANCE,
        SUCCESS,
        SUCCESS_LAST,
        MAY_RETRY,
        DO_NOT_RETRY,
        LOSE,
        ENDED,
        RECONNECTED,
        CLOSE
    }

    private static final class Life {
        private final EngineWires wires = new EngineWires(target(), 1, DEPTH, TIMES, 4096);
        private final Deque<Integer> sent = new ArrayDeque<>();
        private final List<Integer> statuses = new ArrayList<>();
        private int submitted;
        private boolean losing;
        private boolean away;
        private boolean closing;

        Life() {
            wires.host.open(0);
            wires.settle();
            assertEquals(HostState.LIVE, wires.host.state(), wires.host.reason());
            wires.answering = Optional.of((_, slot) -> sent.add(slot));
        }

        private static StorageTarget target() {
            StorageTarget target = new StorageTarget(TargetLimits.defaults());
            Subsystem subsystem = new Subsystem(EngineWires.NAME, "serial", Set.of());
            target.add(subsystem);
            target.put(subsystem, new Namespace(1, DEVICE, new UUID(1, 2)));
            return target;
        }

        boolean can(Step step) {
            return switch (step) {
                case SUBMIT -> submitted < MOST_REQUESTS;
                case ADVANCE -> true;
                case SUCCESS, MAY_RETRY, DO_NOT_RETRY -> !losing && !away && !closing && !sent.isEmpty();
                case SUCCESS_LAST -> !losing && !away && !closing && sent.size() > 1;
                case LOSE -> !losing && !away && !closing;
                case ENDED -> losing && !closing;
                case RECONNECTED -> away && !closing;
                case CLOSE -> !closing;
            };
        }

        void take(Step step) {
            switch (step) {
                case SUBMIT -> submit();
                case ADVANCE -> wires.host.advance(wires.nowNs);
                case SUCCESS -> answer(sent.remove(), Status.SUCCESS.code());
                case SUCCESS_LAST -> answer(sent.removeLast(), Status.SUCCESS.code());
                case MAY_RETRY -> answer(sent.remove(), Status.NOT_READY.code());
                case DO_NOT_RETRY -> answer(sent.remove(), Status.LBA_RANGE.code() | Status.DO_NOT_RETRY);
                case LOSE -> {
                    wires.wire(1).breakDown();
                    EngineWires.runOne(wires.wire(1).toHost);
                    losing = true;
                }
                case ENDED -> {
                    sent.clear();
                    wires.settle();
                    losing = false;
                    away = true;
                    assertEquals(HostState.WAITING, wires.host.state());
                }
                case RECONNECTED -> {
                    wires.pass(2 * SECOND_NS);
                    wires.settle();
                    away = false;
                    assertEquals(HostState.LIVE, wires.host.state(), wires.host.reason());
                }
                case CLOSE -> {
                    closing = true;
                    wires.host.close(wires.nowNs);
                    wires.settle();
                    sent.clear();
                    assertEquals(HostState.CLOSED, wires.host.state());
                    assertEquals(DEPTH, wires.host.commands().now(BlockCommandState.FREE));
                    assertEquals(submitted, statuses.size(), "each request has ended once");
                }
            }
            check();
        }

        private void submit() {
            submitted++;
            BlockRequest request = new BlockRequest(ended -> statuses.add(ended.status()));
            wires.host.submit(
                    request.set(IoOpcode.WRITE, wires.namespace(), 0, 1, false).data(0, 0));
        }

        private void answer(int slot, int status) {
            EngineWires.Wire wire = wires.wire(1);
            MemorySegment memory = MemorySegment.ofArray(new byte[CompletionEntry.LENGTH]);
            new CompletionEntry()
                    .wrap(memory, 0)
                    .commandId(wire.near.entry(slot).commandId())
                    .status(status);
            wire.answer(memory, CompletionEntry.LENGTH);
        }

        /** What the states say is what the target has. */
        private void check() {
            StorageHost host = wires.host;
            int sum = 0;
            for (BlockCommandState each : BlockCommandState.values()) {
                sum += host.commands().now(each);
            }
            assertEquals(DEPTH, sum);
            assertEquals(0, host.commands().now(BlockCommandState.CHOSEN), "a call has returned");
            assertEquals(sent.size(), host.commands().now(BlockCommandState.IN_FLIGHT));
            assertTrue(statuses.size() <= submitted, "a request has ended twice");
        }

        String state() {
            StringBuilder out = new StringBuilder();
            for (BlockCommandState each : BlockCommandState.values()) {
                out.append(wires.host.commands().now(each)).append(' ');
            }
            return out.append(submitted)
                    .append(statuses)
                    .append(losing)
                    .append(away)
                    .append(closing)
                    .toString();
        }
    }

    @AfterAll
    static void closeDevice() {
        DEVICE.close();
    }

    @Test
    void orders_ofAllSteps_keepTheTable() {
        Set<String> seen = new HashSet<>();
        Set<BlockCommandState> reached = EnumSet.noneOf(BlockCommandState.class);
        Deque<List<Step>> ways = new ArrayDeque<>(List.of(List.of()));
        while (!ways.isEmpty()) {
            List<Step> way = ways.remove();
            for (Step step : Step.values()) {
                Life life = new Life();
                way.forEach(life::take);
                if (!life.can(step)) {
                    continue;
                }
                life.take(step);
                for (BlockCommandState each : BlockCommandState.values()) {
                    if (life.wires.host.commands().entered(each) > 0) {
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
        assertEquals(EnumSet.allOf(BlockCommandState.class), reached);
        assertTrue(seen.size() > 100, () -> "states: " + seen.size());
    }

    @Test
    void diagram_isInTheDocumentation() throws IOException {
        String diagram = "```mermaid\nstateDiagram-v2\n" + BlockCommandState.mermaid() + "```\n";
        assertTrue(
                Files.readString(Path.of("..", "docs", "storage.md")).contains(diagram),
                "copy this into docs/storage.md:\n" + diagram);
    }
}
