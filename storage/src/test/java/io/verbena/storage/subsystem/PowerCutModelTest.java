package io.verbena.storage.subsystem;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.storage.device.BlockDevice;
import io.verbena.storage.device.DeviceFault;
import io.verbena.storage.device.FaultyDevice;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.device.PowerCutDevice;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Data that a host knows to be durable are there after a power cut. A host sends writes, durable writes, zeroes and flushes, many at once; the
 * device executes them in any order; at any moment the power is cut. The model knows for each block which writes the medium may show.
 */
class PowerCutModelTest {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final int BLOCK_BYTES = 512;
    private static final int BLOCKS = 12;
    private static final int HOST_MEMORY = 4096;
    private static final int SEEDS = Integer.getInteger("verbena.seeds", 2000);
    private static final int NEVER = Integer.MAX_VALUE;

    /** A command that changes blocks, or a flush, which changes none. */
    private static final class Change {
        private final int value;
        private final int firstBlock;
        private final int count;
        private final boolean forced;
        private final int sent;
        private int answered = NEVER;
        private boolean durable;

        Change(int value, int firstBlock, int count, boolean forced, int sent) {
            this.value = value;
            this.firstBlock = firstBlock;
            this.count = count;
            this.forced = forced;
            this.sent = sent;
        }

        boolean concerns(int block) {
            return block >= firstBlock && block < firstBlock + count;
        }

        boolean flush() {
            return count == 0;
        }
    }

    /** One run. */
    private static final class Run {
        private final Random random;
        private final MemoryDevice medium = new MemoryDevice((long) BLOCKS * BLOCK_BYTES, BLOCK_BYTES);
        private final PowerCutDevice device = new PowerCutDevice(medium, 40);
        private final HostScript io;
        private final List<Change> changes = new ArrayList<>();
        private final Map<Integer, Change> unanswered = new HashMap<>();
        private int now = 1;
        private int lastValue;

        Run(long seed, boolean losesFlushes) {
            random = new Random(seed);
            FaultyDevice faulty = new FaultyDevice(device);
            if (losesFlushes) {
                faulty.with(new DeviceFault(DeviceFault.Kind.LOST_FLUSH, 0, BLOCKS, NEVER));
            }
            io = connect(faulty);
            Change zeroes = new Change(0, 0, BLOCKS, true, 0);
            zeroes.answered = 0;
            zeroes.durable = true;
            changes.add(zeroes);
        }

        private static HostScript connect(BlockDevice device) {
            StorageTarget target = new StorageTarget(TargetLimits.defaults());
            Subsystem subsystem = new Subsystem(NAME, "serial", Set.of());
            target.add(subsystem);
            target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
            HostScript admin = new HostScript(target, 0, 32);
            int controller = (int)
                    admin.connect(NAME, 0xffff, "nqn.2026-01.org.example:host").result();
            admin.enable();
            HostScript io = new HostScript(target, 1, 32);
            assertEquals(
                    0,
                    io.connect(NAME, controller, "nqn.2026-01.org.example:host").status());
            io.holdDevice = true;
            return io;
        }

        /** A block that shows what it cannot show; empty if all is well. */
        Optional<String> untilPowerCut() {
            int steps = 5 + random.nextInt(60);
            for (int i = 0; i < steps; i++) {
                now++;
                if (!io.held.isEmpty() && (io.held.size() >= 8 || random.nextInt(5) < 3)) {
                    execute(io.held.remove(random.nextInt(io.held.size())));
                } else {
                    send();
                }
            }
            device.powerCut(random);
            Optional<String> problem = check();
            medium.close();
            return problem;
        }

        private void send() {
            int first = random.nextInt(BLOCKS);
            int count = 1 + random.nextInt(Math.min(4, BLOCKS - first));
            boolean forced = random.nextInt(6) == 0;
            int kind = random.nextInt(10);
            Change change = kind < 2 ? new Change(0, 0, 0, false, now) : changed(kind, first, count, forced);
            int id = io.send(0, e -> {
                e.namespaceId(1).firstBlock(first).blocksMinusOne(count - 1);
                e.cdw12(e.cdw12() | (forced ? 1 << 30 : 0));
                if (change.flush()) {
                    e.opcode(0);
                } else if (change.value == 0) {
                    e.opcode(8);
                } else {
                    e.opcode(1).keyed(HOST_MEMORY, count * BLOCK_BYTES, 9, true);
                }
            });
            unanswered.put(id, change);
        }

        private Change changed(int kind, int first, int count, boolean forced) {
            int value = kind == 2 ? 0 : ++lastValue;
            Arrays.fill(io.memory, HOST_MEMORY, HOST_MEMORY + count * BLOCK_BYTES, (byte) value);
            Change change = new Change(value, first, count, forced, now);
            changes.add(change);
            return change;
        }

        private void execute(Command command) {
            io.queue.onRun(command, command.runOnDevice());
            io.settle();
            HostScript.Response response = io.responses.remove();
            assertEquals(0, response.status());
            Change answered = Objects.requireNonNull(unanswered.remove(response.commandId()));
            answered.answered = now;
            answered.durable = answered.forced;
            if (answered.flush()) {
                changes.forEach(each -> each.durable |= each.answered < answered.sent);
            }
        }

        private Optional<String> check() {
            MemorySegment shown = MemorySegment.ofArray(new byte[BLOCK_BYTES]);
            for (int block = 0; block < BLOCKS; block++) {
                medium.read(block, 1, shown, 0);
                byte value = shown.get(ValueLayout.JAVA_BYTE, 0);
                if (!possible(block, value)) {
                    return Optional.of("Block " + block + " shows " + value + ".");
                }
            }
            return Optional.empty();
        }

        /** A write is possible unless a durable one was sent after its answer. */
        private boolean possible(int block, byte value) {
            List<Change> here =
                    changes.stream().filter(each -> each.concerns(block)).toList();
            return here.stream()
                    .filter(each -> (byte) each.value == value)
                    .anyMatch(each -> here.stream().noneMatch(later -> later.durable && each.answered < later.sent));
        }
    }

    @Test
    void powerCut_atAnyMoment_losesNothingThatIsDurable() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertEquals(Optional.empty(), new Run(seed, false).untilPowerCut(), "seed " + seed);
        }
    }

    @Test
    void flushThatDoesNothing_isFoundByTheModel() {
        int found = 0;
        for (long seed = 0; seed < 200; seed++) {
            found += new Run(seed, true).untilPowerCut().isPresent() ? 1 : 0;
        }
        assertTrue(found > 20, "found in " + found + " runs");
    }
}
