package io.verbena.storage.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.storage.wire.IoOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * A host and a target whose connections break, whose target is killed and started again, and whose devices execute in any order, at any
 * step. Every request ends exactly once; a block contains what was acknowledged last, or a write that is under way. In particular no write of an
 * earlier association takes effect after its repetition was acknowledged.
 */
class HostModelTest {
    private static final int SEEDS = Integer.getInteger("verbena.seeds", 400);
    private static final int STEPS = 1500;
    private static final int BLOCKS = 8;
    private static final int BLOCK_BYTES = 512;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final HostTimes TIMES =
            new HostTimes(4 * SECOND_NS, 3 * SECOND_NS, 20 * SECOND_NS, SECOND_NS, 1_000_000 * SECOND_NS);

    /** One block, of which one request at a time is under way. */
    private static final class Cell {
        long acknowledged;
        long writing = -1;
        boolean busy;
    }

    private static final class Run {
        private final Random random;
        private final MemoryDevice device = new MemoryDevice(BLOCKS * BLOCK_BYTES, BLOCK_BYTES);
        private final EngineWires wires;
        private final Cell[] cells = new Cell[BLOCKS];
        private long nextValue = 1;
        private int ended;
        private int lost;

        Run(long seed) {
            random = new Random(seed);
            wires = new EngineWires(
                    target(), 1 + random.nextInt(2), 1 + random.nextInt(4), TIMES, BLOCKS * BLOCK_BYTES);
            for (int i = 0; i < BLOCKS; i++) {
                cells[i] = new Cell();
            }
        }

        private StorageTarget target() {
            // Sometimes data travel in capsules, sometimes by keys.
            TargetLimits limits = new TargetLimits(4, 2, 128, random.nextBoolean() ? 8192 : 0, 1, Long.MAX_VALUE);
            StorageTarget storageTarget = new StorageTarget(limits);
            Subsystem subsystem = new Subsystem(EngineWires.NAME, "serial", Set.of());
            storageTarget.add(subsystem);
            storageTarget.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
            return storageTarget;
        }

        void start() {
            wires.host.open(0);
            wires.settle();
            assertEquals(HostState.LIVE, wires.host.state());
        }

        void step() {
            switch (random.nextInt(40)) {
                case 0 -> wires.pass(random.nextLong(3 * SECOND_NS));
                case 1 -> breakOne();
                case 2 -> {
                    if (random.nextInt(4) == 0) {
                        kill();
                    }
                }
                case 3, 4, 5, 6, 7 -> request();
                default -> deliver();
            }
            wires.host.advance(wires.nowNs);
        }

        private void breakOne() {
            if (random.nextInt(3) == 0 && !wires.wires.isEmpty()) {
                wires.wires.get(random.nextInt(wires.wires.size())).breakDown();
                lost++;
            }
        }

        private void kill() {
            lost++;
            wires.kill();
            wires.target = Optional.of(target());
        }

        private void deliver() {
            List<Runnable> choices = new ArrayList<>();
            for (EngineWires.Wire wire : wires.wires) {
                if (!wire.toTarget.isEmpty()) {
                    choices.add(() -> EngineWires.runOne(wire.toTarget));
                }
                if (!wire.toHost.isEmpty()) {
                    choices.add(() -> EngineWires.runOne(wire.toHost));
                }
            }
            for (Runnable work : wires.devices) {
                choices.add(() -> {
                    wires.devices.remove(work);
                    work.run();
                });
            }
            wires.wires.removeIf(wire -> wire.broken && wire.toTarget.isEmpty() && wire.toHost.isEmpty());
            if (!choices.isEmpty()) {
                choices.get(random.nextInt(choices.size())).run();
            }
        }

        private void request() {
            int block = random.nextInt(BLOCKS);
            Cell cell = cells[block];
            if (cell.busy) {
                return;
            }
            cell.busy = true;
            boolean write = random.nextBoolean();
            long at = (long) block * BLOCK_BYTES;
            if (write) {
                cell.writing = nextValue++;
                wires.data.set(ValueLayout.JAVA_LONG_UNALIGNED, at, cell.writing);
            }
            BlockRequest request = new BlockRequest(done -> ended(done, cell, at));
            request.set(write ? IoOpcode.WRITE : IoOpcode.READ, wires.namespace(), block, 1, false)
                    .data(0, at);
            wires.host.submit(request);
        }

        private void ended(BlockRequest request, Cell cell, long at) {
            assertTrue(cell.busy, "a request ended twice");
            assertEquals(0, request.status());
            ended++;
            cell.busy = false;
            if (request.opcode() == IoOpcode.WRITE) {
                cell.acknowledged = cell.writing;
                cell.writing = -1;
            } else {
                assertEquals(
                        cell.acknowledged,
                        wires.data.get(ValueLayout.JAVA_LONG_UNALIGNED, at),
                        "a read does not return what was acknowledged");
            }
            check();
        }

        private void check() {
            MemorySegment block = MemorySegment.ofArray(new byte[BLOCK_BYTES]);
            for (int i = 0; i < BLOCKS; i++) {
                device.read(i, 1, block, 0);
                long value = block.get(ValueLayout.JAVA_LONG_UNALIGNED, 0);
                Cell cell = cells[i];
                assertTrue(
                        value == cell.acknowledged || value == cell.writing,
                        "block " + i + " has " + value + ", acknowledged " + cell.acknowledged);
            }
        }

        void end() {
            for (int i = 0; i < 200; i++) {
                wires.pass(SECOND_NS / 4);
                wires.settle();
            }
            for (Cell cell : cells) {
                assertTrue(!cell.busy, "a request has not ended: " + wires.host.state() + ", " + wires.host.reason());
            }
            check();
            wires.host.close(wires.nowNs);
            wires.settle();
            assertEquals(HostState.CLOSED, wires.host.state());
            device.close();
        }
    }

    @Test
    void anyLosses_ofConnectionsAndTargets_leaveEveryAcknowledgedWrite() {
        int ended = 0;
        int lost = 0;
        for (long seed = 0; seed < SEEDS; seed++) {
            Run run = new Run(seed);
            try {
                run.start();
                for (int i = 0; i < STEPS; i++) {
                    run.step();
                }
                run.end();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed, e);
            }
            ended += run.ended;
            lost += run.lost;
        }
        assertTrue(ended > 20 * SEEDS && lost > 2 * SEEDS, ended + " requests, " + lost + " losses");
    }
}
