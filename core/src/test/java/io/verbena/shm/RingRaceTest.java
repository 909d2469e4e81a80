package io.verbena.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import io.verbena.port.ShortMessages;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A hostile peer changes rings in another thread, also while this side is between loading a word and using it. */
class RingRaceTest {

    private static final int GUARD = 4096;
    private static final int STEPS = 300;

    @Tag(Seeds.TAG)
    @ParameterizedTest
    @ValueSource(ints = {4096, 65536})
    void wordsThatChangeAtAnyTime_touchNothingOutside(int size) {
        Seeds.each(20, seed -> race(new SplittableRandom(seed), size));
    }

    private static void race(SplittableRandom random, int size) throws InterruptedException {
        int bytes = SharedLayout.bytes(size);
        ByteBuffer whole = ByteBuffer.allocateDirect(bytes + 2 * GUARD).order(ByteOrder.nativeOrder());
        ByteBuffer shared = whole.slice(GUARD, bytes).order(ByteOrder.nativeOrder());
        HostilePeer peer = new HostilePeer(random.split(), shared, size);
        AtomicBoolean over = new AtomicBoolean();
        Thread other = Thread.ofPlatform().start(() -> {
            while (!over.get()) {
                peer.disturb();
            }
        });
        ByteBuffer target = ByteBuffer.allocateDirect(3 * GUARD);
        try {
            useRings(random, shared, size, target);
        } catch (IOException e) {
            assertTrue(e.toString().contains("The peer "), e.toString());
        } finally {
            over.set(true);
            other.join();
        }
        for (int i = 0; i < GUARD; i++) {
            assertEquals(0, whole.get(i));
            assertEquals(0, whole.get(GUARD + bytes + i));
            assertEquals(0, target.get(i));
            assertEquals(0, target.get(2 * GUARD + i));
        }
    }

    private static void useRings(SplittableRandom random, ByteBuffer shared, int size, ByteBuffer target)
            throws IOException {
        ByteBuffer source = ByteBuffer.allocateDirect(2000);
        RingReader reader = new RingReader(
                shared,
                true,
                size,
                new Borrower(SharedBlocks.NONE, shared, true),
                new DirectAccess(SharedBlocks.NONE, shared, true, false));
        RingWriter writer = new RingWriter(shared, true, size);
        reader.takeMessages();
        for (int step = 0; step < STEPS; step++) {
            int message = reader.message(target.slice(GUARD, GUARD));
            assertTrue(message >= 0 && message <= ShortMessages.MOST_BYTES);
            if (message > 0) {
                reader.messageTaken();
            }
            int got = reader.read(target, GUARD, 1 + random.nextInt(GUARD));
            assertTrue(got >= 0 && got <= GUARD);
            int put = writer.append(source, 0, random.nextInt(2000));
            assertTrue(put >= 0 && put <= 2000);
            writer.publish();
            writer.clearAhead();
        }
    }
}
