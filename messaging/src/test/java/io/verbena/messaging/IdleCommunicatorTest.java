package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.messaging.collective.ElementType;
import io.verbena.messaging.collective.PredefinedReduction;
import io.verbena.sim.Profile;
import io.verbena.sim.VirtualHost;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a communicator costs besides its channels, and its figures. */
class IdleCommunicatorTest {

    private static final int RANKS = 64;
    private static final int COUNT = 200;
    private static final long MOST_BYTES = 4096;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @TempDir
    private Path folder = Path.of(".");

    @Test
    void communicatorOf64Ranks_allocatesLessThan4KiB_besidesItsChannels() throws IOException {
        try (World world = new World(1, Profile.CALM, Optional.empty())) {
            VirtualHost host = world.addHost(RnicOptions.defaults());
            MessagingOptions options = MessagingOptions.defaults();
            Messenger messenger = new Messenger(0, RANKS, host.rnic(), options, world::nowNs, new Random(1));
            Communicator parent = new Communicator(0, RANKS, host.rnic(), messenger, options);
            List<Communicator> kept = new ArrayList<>();
            long least = Long.MAX_VALUE;
            for (int i = 1; i <= COUNT; i++) {
                long before = THREADS.getCurrentThreadAllocatedBytes();
                Group group = Group.of(IntStream.range(0, RANKS).toArray());
                kept.add(new Communicator(parent, group, i));
                least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            assertEquals(COUNT, kept.size());
            assertTrue(least <= MOST_BYTES, least + " bytes");
            messenger.endpoint().abort();
        }
    }

    @Test
    void figures_countOperationsBytesAndAgreements_andAreEvents() throws Exception {
        Path file = folder.resolve("communicator.jfr");
        try (Recording recording = new Recording()) {
            recording.enable(CommunicatorEvent.class);
            recording.start();
            Ranks.run(2, world -> {
                Communicator over = world.dup();
                MemorySegment vector = Arena.ofAuto().allocate(80, 8);
                for (int i = 0; i < 3; i++) {
                    over.collectives()
                            .allreduce(Collectives.IN_PLACE, vector, ElementType.LONG, PredefinedReduction.SUM);
                }
                over.agree(1);
                CommunicatorFigures figures = over.figures();
                assertEquals(2, figures.size());
                assertEquals(3, figures.operations().started());
                assertEquals(3, figures.operations().completed());
                assertEquals(240, figures.operations().bytes());
                assertEquals(1, figures.agreements());
                assertTrue(figures.operations().steps() >= 6, () -> String.valueOf(figures));
                over.revoke();
                assertEquals(0, over.figures().operations().failed());
                over.close();
                world.barrier();
            });
            recording.dump(file);
        }
        List<RecordedEvent> events = RecordingFile.readAllEvents(file);
        assertTrue(
                events.stream()
                        .filter(event -> event.getEventType().getName().equals("io.verbena.messaging.Communicator"))
                        .anyMatch(event -> event.getLong("bytes") == 240 && event.getInt("size") == 2),
                events::toString);
        Files.delete(file);
    }
}
