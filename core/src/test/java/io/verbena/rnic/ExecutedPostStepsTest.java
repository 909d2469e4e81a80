package io.verbena.rnic;

import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualEnvironment.PostStep;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What other threads and the peer do at each step of a post that executes: keys and rights end, regions and queue
 * pairs close. The work completes once, and nothing is written after the change.
 */
class ExecutedPostStepsTest {

    private static final int SMALL = 8;
    private static final long AT = 64;

    /** Who executes the work of a post. */
    enum Way {
        /** The poster copies into the memory of the peer. */
        DIRECT,
        /** The poster puts a message into the ring. */
        MESSAGE
    }

    enum Change {
        KEY_RENEWED,
        REGION_CLOSED,
        RIGHTS,
        PEER_ERROR,
        PEER_DISCONNECTS,
        PEER_CLOSES,
        OWN_ERROR,
        OWN_DISCONNECT,
        OWN_REGION_CLOSED;

        /** Whether a Write that was posted before may have its effect after it. */
        boolean lets() {
            return this == PEER_DISCONNECTS || this == OWN_DISCONNECT || ownSide();
        }

        boolean ownSide() {
            return this == OWN_ERROR || this == OWN_DISCONNECT || this == OWN_REGION_CLOSED;
        }
    }

    static Stream<Arguments> all() {
        List<Arguments> all = new ArrayList<>();
        for (Way way : Way.values()) {
            for (PostStep step : PostStep.values()) {
                for (Change change : Change.values()) {
                    all.add(Arguments.of(way, step, change));
                }
            }
        }
        return all.stream();
    }

    @ParameterizedTest
    @MethodSource("all")
    void change_atAStepOfAPost_isObeyed(Way way, PostStep step, Change change) throws IOException {
        try (ManualWorld world = way == Way.DIRECT ? ManualWorld.direct() : ManualWorld.rings()) {
            Pair pair = new Pair(world, RnicOptions.defaults(), 64, chosen -> chosen).connect();
            MemoryRegion target = pair.b.domain.allocate(4096, LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ);
            MemoryRegion source = pair.a.domain.allocate(4096, LOCAL_WRITE);
            source.segment().set(JAVA_LONG, 0, 1);
            pair.b.queuePair.postSend(100, pair.b.memory, 0, 0, WrFlags.UNSIGNALLED);
            pair.a.queuePair.postReceive(100, pair.a.memory, 0, 0);
            assertTrue(write(pair, 1, source, target));
            world.settle(); // the peer has sent something, and the grant is there
            assertEquals(1, target.segment().get(JAVA_LONG, AT));
            pair.a.polled();

            ManualEnvironment environment = ManualEnvironment.of(pair.a.rnic);
            source.segment().set(JAVA_LONG, 0, 2);
            long[] before = new long[1];
            boolean[] changed = new boolean[1];
            environment.alone = true;
            environment.atStep = now -> {
                if (now == step && !changed[0]) {
                    changed[0] = true;
                    before[0] = target.segment().get(JAVA_LONG, AT);
                    apply(change, pair, source, target);
                }
            };
            assertTrue(write(pair, 2, source, target));
            environment.atStep = now -> {};
            environment.alone = false;
            assertTrue(changed[0]);
            world.settle();
            world.advance(10_000_000_000L);

            List<String> polled = pair.a.polled();
            assertEquals(1, polled.stream().filter(it -> it.startsWith("2 ")).count(), polled::toString);
            if (way == Way.DIRECT && step == PostStep.ENDED) {
                assertEquals(2, before[0]);
            }
            if (change != Change.REGION_CLOSED && !change.lets()) {
                long now = target.segment().get(JAVA_LONG, AT);
                // A message that is in the ring before the change may be taken while the change is made.
                boolean mayBeTaken = way == Way.MESSAGE && step == PostStep.ENDED && now == 2;
                assertTrue(now == before[0] || mayBeTaken);
            }
        }
    }

    private static boolean write(Pair pair, int id, MemoryRegion source, MemoryRegion target) {
        return pair.a.queuePair.postWrite(
                id, source, 0, SMALL, target.address() + AT, target.rkey(), WrFlags.SIGNALLED);
    }

    private static void apply(Change change, Pair pair, MemoryRegion source, MemoryRegion target) {
        switch (change) {
            case KEY_RENEWED -> target.renewKey();
            case REGION_CLOSED -> target.close();
            case RIGHTS -> pair.b.queuePair.modify(QueuePairChange.rights(Set.of(REMOTE_READ)));
            case PEER_ERROR -> pair.b.queuePair.modify(QueuePairChange.to(IwarpQueuePairState.ERROR));
            case PEER_DISCONNECTS -> pair.fromB.disconnect();
            case PEER_CLOSES -> pair.b.queuePair.close();
            case OWN_ERROR ->
                pair.a
                        .queuePair
                        .endpoint()
                        .command(() -> pair.a.queuePair.endpoint().fail("A thread has closed it."));
            case OWN_DISCONNECT -> pair.fromA.disconnect();
            case OWN_REGION_CLOSED -> source.close();
        }
    }
}
