package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A hostile peer of direct access: the connection ends or goes on, and nothing outside the memory that it names is accessed. */
@Tag(Seeds.TAG)
class HostileGrantTest {

    private static final int STEPS = 300;

    static LongStream seeds() {
        return Seeds.of(1, 2, 3);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void randomGrantsAndRequests_keepTheirBounds(long seed) {
        int accesses = 0;
        for (int round = 0; round < 300; round++) {
            SplittableRandom random = new SplittableRandom(seed * 1_000_003 + round);
            GrantScene scene = new GrantScene(random::nextInt);
            scene.run(STEPS);
            accesses += scene.accesses;
        }
        assertTrue(accesses > 100, () -> "too few accesses to mean anything");
    }

    /** The peer changes records while they are read, and words while they are compared. */
    @Test
    void recordsThatChangeAtAnyTime_keepTheirBounds() {
        Seeds.each(30, seed -> {
            SplittableRandom random = new SplittableRandom(seed);
            GrantScene scene = new GrantScene(random::nextInt);
            SplittableRandom others = random.split();
            AtomicBoolean over = new AtomicBoolean();
            int ring = SharedLayout.ring(false, GrantScene.RING);
            Thread other = Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    // Any word of a record but its header.
                    int word = others.nextInt(8) == 0 ? 0 : 8 * (1 + others.nextInt(7));
                    int line = others.nextInt(GrantScene.RING / SharedLayout.LINE) * SharedLayout.LINE;
                    if (word > 0) {
                        scene.shared.putInt(ring + line + word + 4 * others.nextInt(2), others.nextInt(100) - 3);
                    } else {
                        scene.shared.putLong(SharedLayout.word(false, SharedLayout.PROCESSED), others.nextLong());
                    }
                }
            });
            try {
                scene.run(STEPS);
            } finally {
                over.set(true);
                other.join();
            }
        });
    }
}
