package io.verbena.storage.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.sim.Medium;
import io.verbena.sim.Profile;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.storage.device.MemoryDevice;
import io.verbena.storage.host.HostSettings;
import io.verbena.storage.host.HostState;
import io.verbena.storage.host.HostTimes;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.HostIdentity;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Disks in virtual time over each medium, whose packets are lost, duplicated and reordered, and whose connections break. The server is ended
 * and started again at any moment. No operation fails; a block contains what was
 * acknowledged last, or what is being written; reads return it. {@code -Dverbena.seeds=100} is the full form.
 */
@Tag(Seeds.TAG)
class WorldDisksTest {
    private static final int SEEDS = 4;
    private static final int BLOCK_BYTES = 512;
    private static final int LONGEST_BLOCKS = 40;
    private static final int AREAS = 8;
    private static final int OPERATIONS = 150;
    private static final long MOST_EVENTS = 50_000_000;
    private static final long STEP_NS = 500_000;
    private static final long LONGEST_NS = 900_000_000_000L;
    private static final long SECOND_NS = 1_000_000_000L;
    private static final HostTimes TIMES =
            new HostTimes(2 * SECOND_NS, 20 * SECOND_NS, 30 * SECOND_NS, SECOND_NS / 10, 10_000 * SECOND_NS);

    private static final class Run implements AutoCloseable {
        private final World world;
        private final SplittableRandom random;
        private final MemoryDevice device = new MemoryDevice(AREAS * LONGEST_BLOCKS * BLOCK_BYTES, BLOCK_BYTES);
        private final VirtualHost serving;
        private final HostDriver driver;
        private final List<Area> areas = new ArrayList<>();
        private final boolean breaks;
        private DiskServer server;
        private int begun;
        private int ended;
        private Optional<AssertionError> failure = Optional.empty();

        Run(long seed, Medium medium, Profile profile) throws IOException {
            world = medium.in(new World(seed, profile, Optional.empty()).withMostEvents(MOST_EVENTS));
            random = new SplittableRandom(seed);
            breaks = profile.breaks();
            serving = world.addHost(RnicOptions.defaults());
            server = serve();
            VirtualHost using = world.addHost(RnicOptions.defaults());
            HostIdentity identity = new HostIdentity("nqn.2026-01.org.example:host", new UUID(1, 1));
            HostSettings settings =
                    new HostSettings(DiskPair.NAME, identity, 1 + random.nextInt(2), 1 + random.nextInt(8), TIMES);
            KeyUse keys = random.nextBoolean() ? KeyUse.PER_COMMAND : KeyUse.PER_MEMORY;
            driver = new HostDriver(using.rnic(), serving.address(4420), settings, keys, Optional.empty(), () -> {});
        }

        private DiskServer serve() throws IOException {
            StorageTarget target = new StorageTarget(TargetLimits.defaults());
            Subsystem subsystem = new Subsystem(DiskPair.NAME, "serial", Set.of());
            target.add(subsystem);
            target.put(subsystem, new Namespace(1, device, new UUID(1, 2)));
            return DiskServer.inline(serving.rnic(), target, serving.address(4420), world::nowNs);
        }

        /** A part of the disk, of which one operation at a time is under way. */
        private final class Area implements DiskListener {
            private final int first;
            private final DiskMemory memory;
            private final DiskOperation operation;
            private final byte[] acknowledged = new byte[LONGEST_BLOCKS];
            private byte writing;
            private boolean writes;
            private int skipped;
            private int count;

            Area(Disk disk, int number) {
                first = number * LONGEST_BLOCKS;
                memory = disk.allocate(LONGEST_BLOCKS * BLOCK_BYTES);
                operation = disk.operation(this);
            }

            void begin() {
                skipped = random.nextInt(LONGEST_BLOCKS);
                count = 1 + random.nextInt(LONGEST_BLOCKS - skipped);
                writes = random.nextBoolean();
                writing = (byte) random.nextInt(256);
                begun++;
                memory.segment().fill(writes ? writing : 99);
                long bytes = (long) count * BLOCK_BYTES;
                if (writes) {
                    operation.write(first + skipped, memory, 0, bytes);
                } else {
                    operation.read(first + skipped, memory, 0, bytes);
                }
                operation.submit();
            }

            /** The driver logs what a listener throws: the run itself must fail. */
            @Override
            public void ended(DiskOperation of) {
                try {
                    checkEnded(of);
                } catch (AssertionError e) {
                    failure = Optional.of(failure.orElse(e));
                }
            }

            private void checkEnded(DiskOperation of) {
                assertTrue(of.succeeded(), () -> of.failure().toString());
                ended++;
                for (int i = 0; i < count; i++) {
                    if (writes) {
                        acknowledged[skipped + i] = writing;
                    } else {
                        byte read = memory.segment().get(ValueLayout.JAVA_BYTE, (long) i * BLOCK_BYTES + 7);
                        assertEquals(acknowledged[skipped + i], read, "block " + (first + skipped + i));
                    }
                }
                check();
            }

            private void check() {
                MemorySegment block = MemorySegment.ofArray(new byte[BLOCK_BYTES]);
                for (int i = 0; i < LONGEST_BLOCKS; i++) {
                    boolean open = operation.underWay() && writes && i >= skipped && i < skipped + count;
                    device.read(first + i, 1, block, 0);
                    byte value = block.get(ValueLayout.JAVA_BYTE, 3);
                    assertTrue(value == acknowledged[i] || open && value == writing, "block " + (first + i));
                }
            }
        }

        void run() throws IOException {
            driver.open(world.nowNs());
            // The first attempt is not repeated.
            if (!until(() -> driver.state() == HostState.LIVE || driver.state().over())
                    || driver.state() != HostState.LIVE) {
                assertTrue(
                        breaks,
                        () -> "not connected: " + driver.host().state() + " "
                                + driver.host().reason());
                return;
            }
            Disk disk = driver.disks().getFirst();
            for (int i = 0; i < AREAS; i++) {
                areas.add(new Area(disk, i));
            }
            assertTrue(
                    until(this::work),
                    () -> "operations do not end: " + driver.host().state() + " "
                            + driver.host().reason() + ", " + ended + " of " + begun);
            for (Area area : areas) {
                area.check();
            }
            driver.host().close(world.nowNs());
            assertTrue(until(() -> driver.host().state() == HostState.CLOSED), "the host does not close");
        }

        private boolean work() {
            for (Area area : areas) {
                if (!area.operation.underWay() && begun < OPERATIONS && random.nextInt(4) == 0) {
                    area.begin();
                }
            }
            return ended == OPERATIONS;
        }

        private boolean until(BooleanSupplier condition) throws IOException {
            long startNs = world.nowNs();
            while (!condition.getAsBoolean()) {
                if (world.nowNs() - startNs > LONGEST_NS) {
                    return false;
                }
                driver.onDeadline(world.nowNs());
                while (driver.round(world.nowNs())) {
                    continue; // until nothing is left to do
                }
                server.execute(() -> {});
                if (breaks && random.nextInt(2000) == 0) {
                    server.close();
                    server = serve();
                }
                world.runFor(STEP_NS);
                if (failure.isPresent()) {
                    throw failure.get();
                }
            }
            return true;
        }

        @Override
        public void close() {
            driver.stop();
            server.close();
            world.close();
            device.close();
        }
    }

    private static void one(Medium medium, Profile profile, long seed) throws IOException {
        try (Run run = new Run(seed, medium, profile)) {
            run.run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("over " + medium + ", profile " + profile + ": " + e.getMessage(), e);
        }
    }

    private static void seeds(Medium medium, Profile profile) {
        Seeds.each(profile.breaks() ? SEEDS : 2 * SEEDS, seed -> one(medium, profile, seed));
    }

    @ParameterizedTest
    @EnumSource
    void everyMedium_acknowledgedBlocksAreThere(Medium medium) {
        seeds(medium, Profile.CALM);
    }

    @ParameterizedTest
    @EnumSource
    void connectionsBreakAndServersRestart_acknowledgedBlocksAreThere(Medium medium) {
        seeds(medium, Profile.KILLED);
    }
}
