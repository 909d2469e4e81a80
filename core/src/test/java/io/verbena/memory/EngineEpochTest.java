package io.verbena.memory;

import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class EngineEpochTest {

    private final EngineEpoch first = new EngineEpoch();
    private final EngineEpoch second = new EngineEpoch();

    @Test
    void revocation_nobodyInside_isSettledAtOnce() {
        assertTrue(Revocation.begin(List.of(first, second)).settled());
        assertTrue(Revocation.begin(List.of()).settled());
    }

    @Test
    void revocation_engineInside_isSettledWhenItHasLeft() throws InterruptedException {
        onAnotherThread(first::enter);
        Revocation revocation = Revocation.begin(List.of(first, second));
        second.enter();
        assertFalse(revocation.settled());
        onAnotherThread(first::leave);
        assertTrue(revocation.settled(), "the second entered after the keys were invalid");
    }

    @Test
    void revocation_engineLeftAndEnteredAgain_isSettled() throws InterruptedException {
        onAnotherThread(first::enter);
        Revocation revocation = Revocation.begin(List.of(first));
        onAnotherThread(() -> {
            first.leave();
            first.enter();
        });
        assertTrue(revocation.settled());
        onAnotherThread(first::leave);
        assertTrue(revocation.settled());
    }

    @Test
    void revocation_fromWithinATurn_isRefused() {
        second.enter();
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> Revocation.begin(List.of(first, second)));
        assertTrue(String.valueOf(e.getMessage()).contains("wait for itself"), e.getMessage());
        second.leave();
        assertTrue(Revocation.begin(List.of(first, second)).settled());
    }

    @Test
    void revocation_byAnEngineInItsTurn_waitsForTheOthersOnly() throws InterruptedException {
        first.enter();
        assertTrue(Revocation.beginFrom(first, List.of(first, second)).settled());
        onAnotherThread(second::enter);
        Revocation revocation = Revocation.beginFrom(first, List.of(first, second));
        assertFalse(revocation.settled());
        onAnotherThread(second::leave);
        assertTrue(revocation.settled());
    }

    @Test
    void revocation_onlyTheLastEngineInside_isWaitedFor() throws InterruptedException {
        EngineEpoch third = new EngineEpoch();
        onAnotherThread(third::enter);
        Revocation revocation = Revocation.begin(List.of(first, second, third));
        first.enter();
        assertFalse(revocation.settled());
        onAnotherThread(third::leave);
        assertTrue(revocation.settled());
        onAnotherThread(third::enter);
        assertTrue(revocation.settled(), "it remains settled");
    }

    @Test
    void settling_ofOneEngine_waitsForTheOthersThatWereInside() throws InterruptedException {
        RegionTable table = new RegionTable(new SeededRandom(22));
        assertTrue(table.settling(0).alone());
        EngineEpoch third = new EngineEpoch();
        table.engines(List.of(first, second, third));
        Settling settling = table.settling(1);
        assertFalse(settling.alone());
        assertTrue(settling.settled(), "nothing has begun");
        second.enter();
        settling.begin();
        assertTrue(settling.settled(), "the own turn does not count");
        onAnotherThread(first::enter);
        onAnotherThread(third::enter);
        settling.begin();
        onAnotherThread(third::leave);
        assertFalse(settling.settled());
        onAnotherThread(third::enter);
        assertFalse(settling.settled());
        onAnotherThread(first::leave);
        assertTrue(settling.settled());
        onAnotherThread(first::enter);
        assertTrue(settling.settled(), "it remains settled");
        settling.begin();
        assertFalse(settling.settled());
        table.engines(List.of(first));
        Settling alone = table.settling(0);
        assertTrue(alone.alone());
        alone.begin();
        assertTrue(alone.settled());
    }

    @Test
    void enter_twice_isABug() {
        first.enter();
        assertThrows(AssertionError.class, first::enter);
        first.leave();
        assertThrows(AssertionError.class, first::leave);
    }

    private static void onAnotherThread(Runnable action) throws InterruptedException {
        Thread thread = Thread.ofPlatform().start(action);
        thread.join();
    }

    /** Dekker on the bare key: once a revocation is settled, no turn still acts on the key that it ended. */
    @Test
    void revocation_racingWithTurns_noTurnActsOnADeadKey() throws InterruptedException {
        Region region = new Region(Backing.collected(Arena.ofAuto().allocate(8)), 0, 1, 0, 1);
        AtomicInteger gone = new AtomicInteger();
        AtomicLong violations = new AtomicLong();
        AtomicLong touched = new AtomicLong();
        AtomicBoolean stop = new AtomicBoolean();
        Thread engine = Thread.ofPlatform().start(() -> {
            while (!stop.get()) {
                first.enter();
                int key = region.rkey();
                if (key != 0) {
                    touched.setOpaque(touched.getPlain() + 1);
                    for (int i = 0; i < 8; i++) {
                        Thread.onSpinWait();
                        if (gone.get() >= key) {
                            violations.incrementAndGet();
                        }
                    }
                }
                first.leave();
            }
        });
        SeededRandom random = new SeededRandom(20);
        List<EngineEpoch> engines = List.of(first, second);
        for (int key = 1; key <= 200_000 || touched.getOpaque() < 1000; key++) {
            region.key().bound(key);
            spin(random.nextInt(32));
            region.key().unbound();
            Revocation revocation = Revocation.begin(engines);
            while (!revocation.settled()) {
                Thread.onSpinWait();
            }
            gone.set(key);
        }
        stop.set(true);
        engine.join();
        assertEquals(0, violations.get());
    }

    private static void spin(int rounds) {
        for (int i = 0; i < rounds; i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * The same through a table: what was deregistered or invalidated is not touched after the revocation has settled.
     */
    @Test
    void revocation_racingWithChecks_nothingIsTouchedAfterwards() throws InterruptedException {
        RegionTable table = new RegionTable(new SeededRandom(21));
        MemorySegment memory = Arena.ofAuto().allocate(8);
        AtomicReference<Region> current = new AtomicReference<>(table.register(memory, 1, Set.of(REMOTE_READ)));
        AtomicReference<@Nullable Region> gone = new AtomicReference<>();
        AtomicLong violations = new AtomicLong();
        AtomicLong touched = new AtomicLong();
        AtomicBoolean stop = new AtomicBoolean();
        Thread engine = Thread.ofPlatform().start(() -> {
            AccessCheck check = new AccessCheck();
            while (!stop.get()) {
                Region region = current.get();
                int key = region.rkey();
                first.enter();
                if (check.check(table, key, 1, region.baseAddress(), 8, REMOTE_READ)
                        .ok()) {
                    touched.setOpaque(touched.getPlain() + 1);
                    for (int i = 0; i < 5; i++) {
                        if (gone.get() == region) {
                            violations.incrementAndGet();
                        }
                        Thread.onSpinWait();
                    }
                }
                first.leave();
            }
        });
        List<EngineEpoch> engines = List.of(first);
        for (int i = 0; i < 30_000 || touched.getOpaque() < 1000; i++) {
            Region region = current.get();
            if (i % 3 == 0) {
                table.invalidate(region.rkey(), 1);
            } else {
                table.deregister(region);
            }
            Revocation revocation = Revocation.begin(engines);
            while (!revocation.settled()) {
                Thread.onSpinWait();
            }
            gone.set(region);
            if (i % 3 == 0) {
                table.deregister(region);
            }
            current.set(table.register(memory, 1, Set.of(REMOTE_READ)));
        }
        stop.set(true);
        engine.join();
        assertEquals(0, violations.get());
    }
}
