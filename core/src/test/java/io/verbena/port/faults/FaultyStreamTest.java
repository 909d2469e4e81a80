package io.verbena.port.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.RandomSource;
import io.verbena.fixture.MemoryNetwork;
import io.verbena.port.TestEnd;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FaultyStreamTest {

    private static final byte[] MESSAGE = new byte[5000];

    static {
        new SplittableRandom(42).nextBytes(MESSAGE);
    }

    /** A connection whose initiator has faults, with explicit time. */
    private static final class Scene {
        final MemoryNetwork wire = new MemoryNetwork(MemoryNetwork::loopback);
        final FaultyLoop faulty;
        final TestEnd sound;
        final TestEnd afflicted;
        long nowNs;

        Scene(FaultPlan plan, long seed) {
            SplittableRandom random = new SplittableRandom(seed);
            RandomSource source = random::nextLong;
            faulty = new FaultyLoop(wire, plan, source, 0);
            sound = new TestEnd(wire);
            afflicted = new TestEnd(faulty);
            wire.acceptAt(MemoryNetwork.loopback(7), sound::onConnected);
            faulty.connect(MemoryNetwork.loopback(7), afflicted);
        }

        /** Lets everything happen that can, up to a time. */
        void runUntil(long timeNs) {
            for (nowNs = Math.min(nowNs, timeNs); ; ) {
                while (faulty.turn(nowNs) + wire.poll() > 0) {
                    // until nothing is left to do now
                }
                long next = faulty.nextDeadlineNs();
                if (next == FaultyLoop.NEVER || next > timeNs) {
                    nowNs = timeNs;
                    faulty.turn(nowNs);
                    return;
                }
                nowNs = next;
            }
        }
    }

    private static Scene sendBothWays(FaultPlan plan, long seed) {
        Scene scene = new Scene(plan, seed);
        scene.sound.send(MESSAGE);
        scene.afflicted.send(MESSAGE);
        scene.runUntil(1_000_000_000);
        return scene;
    }

    @Test
    void torn_bothWays_allArrivesInOrderInManyPieces() {
        Scene scene = sendBothWays(FaultPlan.none().withPieces(7), 1);
        assertArrayEquals(MESSAGE, scene.afflicted.received.toByteArray());
        assertArrayEquals(MESSAGE, scene.sound.received.toByteArray());
        assertTrue(scene.afflicted.readSizes.toString().split(" ").length > 5000 / 7);
        assertTrue(scene.afflicted.writeSizes.toString().split(" ").length > 5000 / 7);
    }

    @Test
    void sameSeed_twice_sameFaults() {
        FaultPlan plan = FaultPlan.none().withPieces(50).withHolds(3, 1000).withFlips(300);
        for (int seed = 0; seed < 50; seed++) {
            Scene first = sendBothWays(plan, seed);
            Scene second = sendBothWays(plan, seed);
            Scene other = sendBothWays(plan, seed + 1000);
            assertEquals(first.afflicted.readSizes.toString(), second.afflicted.readSizes.toString());
            assertEquals(first.afflicted.writeSizes.toString(), second.afflicted.writeSizes.toString());
            assertArrayEquals(first.sound.received.toByteArray(), second.sound.received.toByteArray());
            assertArrayEquals(first.afflicted.received.toByteArray(), second.afflicted.received.toByteArray());
            assertNotEquals(first.afflicted.readSizes.toString(), other.afflicted.readSizes.toString());
        }
    }

    @Test
    void flips_timingDiffers_sameBitsFlip() {
        byte[] whole = sendBothWays(FaultPlan.none().withFlips(200), 5)
                .afflicted
                .received
                .toByteArray();
        FaultPlan torn = FaultPlan.none().withFlips(200).withPieces(1);
        byte[] inPieces = sendBothWays(torn, 5).afflicted.received.toByteArray();
        int flipped = flippedBits(whole);
        assertTrue(flipped >= 5 && flipped <= 100, () -> "flipped " + flipped);
        assertTrue(flippedBits(inPieces) >= 5);
        assertEquals(MESSAGE.length, inPieces.length);
    }

    @Test
    void flips_written_sendersBytesStayWhole() {
        byte[] before = MESSAGE.clone();
        Scene scene = sendBothWays(FaultPlan.none().withFlips(200), 9);
        assertArrayEquals(before, MESSAGE);
        int flipped = flippedBits(scene.sound.received.toByteArray());
        assertTrue(flipped >= 5 && flipped <= 100, () -> "flipped " + flipped);
    }

    private static int flippedBits(byte[] received) {
        assertEquals(MESSAGE.length, received.length);
        int flipped = 0;
        for (int i = 0; i < received.length; i++) {
            flipped += Integer.bitCount((received[i] ^ MESSAGE[i]) & 0xff);
        }
        return flipped;
    }

    @Test
    void killed_afterSoManyBytes_bothEndsSeeAReset() {
        Scene scene = new Scene(FaultPlan.none().withKillAfter(1234), 1);
        scene.sound.send(MESSAGE);
        scene.runUntil(1000);
        assertArrayEquals(Arrays.copyOf(MESSAGE, 1234), scene.afflicted.received.toByteArray());
        assertNotNull(scene.afflicted.failure);
        assertNotNull(scene.sound.failure);
    }

    @Test
    void stalled_afterSoManyBytes_silenceWithoutAnEnd() {
        Scene scene = sendBothWays(FaultPlan.none().withStallAfter(100), 1);
        assertEquals(100, scene.afflicted.received.size());
        assertEquals(100, scene.sound.received.size());
        assertNull(scene.afflicted.failure);
        assertEquals(4900, scene.afflicted.unsent());
        assertEquals(0, scene.faulty.turn(2_000_000_000) + scene.wire.poll(), "no event is repeated indefinitely");
    }

    @Test
    void held_timePasses_theRestArrives() {
        Scene scene = new Scene(FaultPlan.none().withPieces(500).withHolds(1, 1_000_000), 3);
        scene.sound.send(MESSAGE);
        scene.afflicted.send(MESSAGE);
        scene.runUntil(500_000);
        int early = scene.afflicted.received.size();
        assertTrue(early < MESSAGE.length, "held up");
        scene.runUntil(1_000_000_000);
        assertArrayEquals(MESSAGE, scene.afflicted.received.toByteArray());
        assertArrayEquals(MESSAGE, scene.sound.received.toByteArray());
        assertEquals(FaultyLoop.NEVER, scene.faulty.nextDeadlineNs());
    }

    @Test
    void held_detached_timerIsForgotten() {
        Scene scene = new Scene(FaultPlan.none().withPieces(500).withHolds(1, 1_000_000), 3);
        scene.sound.send(MESSAGE);
        scene.runUntil(10_000);
        scene.faulty.detach(scene.afflicted.stream());
        assertEquals(FaultyLoop.NEVER, scene.faulty.nextDeadlineNs());
        scene.faulty.attach(scene.afflicted.stream(), scene.afflicted);
        scene.runUntil(1_000_000_000);
        assertArrayEquals(MESSAGE, scene.afflicted.received.toByteArray());
    }
}
