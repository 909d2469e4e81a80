package io.verbena.memory;

import static io.verbena.verbs.AccessRight.BIND;
import static io.verbena.verbs.AccessRight.LOCAL_WRITE;
import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Keys that are bound and claimed while engines check them. */
class RemoteKeyRaceTest {

    private static final int DOMAIN = 1;
    private static final int READ = RegistrationRules.bits(Set.of(REMOTE_READ));
    private static final int WRITE = RegistrationRules.bits(Set.of(REMOTE_WRITE));

    private final RegionTable table = new RegionTable(new SeededRandom(3));
    private final Region small = region();
    private final Region large = region();

    private Region region() {
        return table.register(new OffHeapMemory().allocate(8192), DOMAIN, Set.of(BIND, LOCAL_WRITE));
    }

    private void bind(int value, Region to, long offset, long length, int rights) {
        assertTrue(table.keys()
                .beginBind(value, to.localKey(), DOMAIN, offset, length, rights)
                .ok());
        assertTrue(table.keys()
                .bind(value, to.localKey(), 0, offset, length, rights)
                .ok());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void boundAgainAndAgain_whileChecked_isTheOldOrTheNewAndNeverAMixture(boolean fresh) throws InterruptedException {
        RemoteKeys keys = table.keys();
        RemoteKey key = keys.allocate(DOMAIN, false, false, fresh, true);
        AtomicInteger value = new AtomicInteger(key.identity());
        AtomicBoolean stop = new AtomicBoolean();
        AtomicLong passed = new AtomicLong();
        List<String> wrong = new ArrayList<>();
        Thread engine = Thread.ofPlatform().start(() -> {
            AccessCheck check = new AccessCheck();
            while (!stop.get()) {
                // Ten bytes at 100 of one region for reading, twenty at 5000 of the other for writing.
                look(check, value.get(), 5, REMOTE_READ, small, 100, passed, wrong);
                look(check, value.get(), 15, REMOTE_READ, small, -1, passed, wrong);
                look(check, value.get(), 15, REMOTE_WRITE, large, 5000, passed, wrong);
                look(check, value.get(), 25, REMOTE_WRITE, large, -1, passed, wrong);
            }
        });
        for (int i = 0; i < 100_000 || passed.get() < 1000; i++) {
            int next = keys.promise(key, 0, 0, 10);
            value.set(next);
            if (i % 2 == 0) {
                bind(next, small, 100, 10, READ);
            } else {
                bind(next, large, 5000, 20, WRITE);
            }
        }
        stop.set(true);
        engine.join();
        assertEquals(List.of(), wrong);
    }

    private void look(
            AccessCheck check,
            int value,
            long length,
            AccessRight right,
            Region region,
            long offset,
            AtomicLong passed,
            List<String> wrong) {
        if (check.check(table, value, DOMAIN, 0, length, right).ok()) {
            passed.incrementAndGet();
            if (!check.region().equals(region) || check.offset() != offset) {
                wrong.add(length + " bytes " + right + " at " + check.offset());
            }
        }
    }

    @Test
    void oneShot_claimedBySeveralAtOnce_isOnesAlone() throws Exception {
        RemoteKeys keys = table.keys();
        RemoteKey key = keys.allocate(DOMAIN, false, true, true, true);
        int engines = 3;
        int rounds = 3_000;
        int[] value = new int[1];
        AtomicInteger winners = new AtomicInteger();
        AtomicInteger wrong = new AtomicInteger();
        CyclicBarrier begin = new CyclicBarrier(engines, () -> {
            value[0] = keys.promise(key, 0, 0, 10);
            bind(value[0], small, 0, 100, READ);
        });
        CyclicBarrier end = new CyclicBarrier(engines, () -> {
            if (winners.getAndSet(0) != 1) {
                wrong.incrementAndGet();
            }
        });
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < engines; i++) {
            int number = i + 1;
            threads.add(Thread.ofPlatform().start(() -> {
                AccessCheck check = new AccessCheck();
                try {
                    for (int round = 1; round <= rounds; round++) {
                        begin.await();
                        long message = (long) number << 40 | round;
                        boolean own = check.check(table, value[0], DOMAIN, number, message, 0, 8, REMOTE_READ)
                                .ok();
                        if (own) {
                            winners.incrementAndGet();
                            // The same message goes on with it, another does not, and then it is used up.
                            boolean again = check.check(table, value[0], DOMAIN, number, message, 8, 8, REMOTE_READ)
                                    .ok();
                            boolean other = check.check(table, value[0], DOMAIN, number, message + 1, 0, 8, REMOTE_READ)
                                    .ok();
                            keys.used(value[0], message);
                            boolean later = check.check(table, value[0], DOMAIN, number, message, 0, 8, REMOTE_READ)
                                    .ok();
                            if (!again || other || later) {
                                wrong.incrementAndGet();
                            }
                        }
                        end.await();
                    }
                } catch (Exception e) {
                    wrong.incrementAndGet();
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(0, wrong.get());
    }

    @Test
    void keys_asManyAsThereMayBe_thenAClearSentence() {
        // Through the table, whose limit is what counts; four million keys would take too long here.
        RemoteKeyTable few = new RemoteKeyTable();
        SeededRandom random = new SeededRandom(1);
        for (int i = 0; i < 100_000; i++) {
            few.makeRoom();
            int value;
            do {
                value = random.nextInt();
            } while (value == 0 || !few.fits(value));
            few.add(value, small.key());
        }
        assertEquals(100_000, few.size());
    }
}
