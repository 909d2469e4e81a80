package io.verbena.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.fixture.Seeds;
import io.verbena.sim.Link;
import io.verbena.sim.Profile;
import io.verbena.sim.World;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranks whose connection loses its transport again and again: each message arrives once, in order. */
@Tag(Seeds.TAG)
class SurvivingRanksTest {

    private static final int SEEDS = Rounds.of(3, 60);
    private static final int MESSAGES = 20;
    private static final int CUTS = 20;
    private static final int LONGEST_PAUSE_NS = 1_000_000;
    private static final int[] LENGTHS = {0, 1, 60, 701, 5_000, 16_385, 150_000};
    private static final int TAG = 5;
    private static final long STEP_NS = 20_000;
    private static final int MOST_STEPS = 30_000_000;
    private static final int MOST_ROUNDS = 10_000;
    private static final long MOST_EVENTS = 100_000_000;

    @ParameterizedTest
    @EnumSource
    void cutAtAnyTime_eachMessageArrivesOnce(RendezvousMode mode) {
        Seeds.each(SEEDS, seed -> run(seed, mode));
    }

    /** A message takes longer than the peer may be silent on so slow a stream: it is not begun again without end. */
    @Test
    void slowStreams_longMessagesArrive() throws IOException {
        run(58746865857883L, RendezvousMode.READ);
    }

    private record Expected(MessageRequest receive, MemorySegment into, int length) {}

    private static void run(long seed, RendezvousMode mode) throws IOException {
        World world = new World(seed, seed % 2 == 0 ? Profile.CALM : Profile.TORN)
                .withoutStates()
                .withMostEvents(MOST_EVENTS);
        MessagingOptions options =
                MessagingOptions.defaults().withRendezvous(mode).surviving();
        RnicOptions rnic = RnicOptions.defaults();
        Random random = new Random(seed);
        int[] cuts = {0};
        try (VirtualRanks ranks = new VirtualRanks(world, 2, rnic, options)) {
            MessageRequest first = ranks.receive(1, 0, Arena.ofAuto().allocate(1), TAG);
            ranks.send(0, 1, Payloads.segment(1, 0), 1, TAG);
            ranks.until(first::done); // a connection that has never been established is not continued
            cut(world, random, cuts);
            for (int round = 0; cuts[0] < CUTS; round++) {
                assertTrue(round < MOST_ROUNDS, "seed " + seed + "L: nothing is cut");
                round(world, ranks, random);
            }
        }
    }

    /** Messages both ways, all of which are under way at once. */
    private static void round(World world, VirtualRanks ranks, Random random) {
        List<MessageRequest> sends = new ArrayList<>();
        List<Expected> receives = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            int from = i % 2;
            int length = LENGTHS[random.nextInt(LENGTHS.length)];
            MemorySegment into = Arena.ofAuto().allocate(Math.max(1, length));
            receives.add(new Expected(ranks.receive(1 - from, from, into, TAG), into, length));
            sends.add(ranks.send(from, 1 - from, Payloads.segment(length, i), length, TAG));
        }
        for (int step = 0;
                !sends.stream().allMatch(MessageRequest::done)
                        || !receives.stream().allMatch(each -> each.receive().done());
                step++) {
            assertTrue(step < MOST_STEPS, "messages stay under way");
            ranks.progress();
            world.runFor(STEP_NS);
        }
        sends.forEach(each -> assertEquals("", each.failure()));
        for (int i = 0; i < MESSAGES; i++) {
            Expected each = receives.get(i);
            assertEquals("", each.receive().failure());
            MemorySegment sent = Payloads.segment(each.length(), i);
            assertEquals(
                    -1, MemorySegment.mismatch(each.into(), 0, each.length(), sent, 0, each.length()), "message " + i);
        }
    }

    /** Ends the newest stream after a random time, and the next ones. */
    private static void cut(World world, Random random, int[] cuts) {
        world.after(random.nextInt(LONGEST_PAUSE_NS), () -> {
            List<Link> links = world.links();
            if (!links.isEmpty()
                    && links.getLast().openEnds() == 2
                    && links.getLast().fault().isEmpty()) {
                cuts[0]++;
                if (random.nextInt(4) == 0) {
                    links.getLast().silence("by the test");
                } else {
                    links.getLast().reset("by the test");
                }
            }
            if (cuts[0] < CUTS) {
                cut(world, random, cuts);
            }
        });
    }
}
