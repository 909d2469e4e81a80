package io.verbena.ib.paths;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.fixture.Seeds;
import io.verbena.verbs.ConnectionPath;
import io.verbena.verbs.PathState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Whole courses of a sender over paths that are late, lossy, dead for a while, marked and trimmed, with Writes and
 * Reads: each request is answered in
 * the end, a path is always left, and without losses nothing is sent again. What the recorded seeds do is recorded
 * step by step as a digest, which
 * covers every field of the state.
 */
@Tag(Seeds.TAG)
class SprayCoursesTest {

    private static final boolean RECORD = Boolean.getBoolean("verbena.record");

    /**
     * The courses of the seeds from 1 on. A change of behaviour prints others with {@code -Dverbena.record=true};
     * its commit says why.
     */
    private static final List<String> COURSES = List.of(
            "61ec9b816670ae67",
            "1d2017ff8f0eb745",
            "1154f2af99f0f372",
            "32451e97de5b9abf",
            "fb01414187f884c5",
            "540f9f3bdd519b85",
            "8350730cb753b048",
            "692281d7d29a8650",
            "0935de5e4967c408",
            "d6610a65989b72d6",
            "c660ff8f76b88fca",
            "a681c15fb1a0078f",
            "9ee0b1a2152fdd65",
            "96f376c1edac9130",
            "9b9bc265c2bf19f6",
            "fd3fb5d9a6b3c213",
            "dbb777242de29d50",
            "6c41473f7a5ddc2c",
            "8e3a429c8eaff9e4",
            "1234d3dd4b921630",
            "8e595df49ba54741",
            "c548701c05374ba2",
            "2a8410e73b1b1800",
            "5f3b84503a3658eb",
            "589366532dc083eb");

    private static final int WINDOW = 64;
    private static final int REQUESTS = 400;
    private static final int MOST_EVENTS = 5_000;
    private static final int FIRST_PSN = 0xff_ff80;
    private static final long ACK_TIMEOUT_NS = 40_000_000;

    /** Something that happens at a time. Two at one time happen in the order of their numbers. */
    private record Event(long atNs, int number, Runnable step) {}

    /** A sender, a network and a receiver. */
    private static final class Course implements PathEvents {
        private final SplittableRandom random;
        private final int count;
        private final boolean clean;
        private final long[] delayNs;
        private final long[] deadFromNs;
        private final long[] deadToNs;
        private final Spray spray;
        private final PriorityQueue<Event> events =
                new PriorityQueue<>(Comparator.comparingLong(Event::atNs).thenComparingInt(Event::number));
        private final StringBuilder reports = new StringBuilder();

        /** Sent requests, by their first PSN from 0, and their PSNs; those with more than one are Reads. */
        private final List<int[]> requests = new ArrayList<>();

        private final BitSet received = new BitSet();
        private final BitSet answered = new BitSet();

        /** The path on which each PSN was requested last, which its response takes. */
        private final int[] pathOf = new int[REQUESTS * 6];

        private int executed;
        private int complete;
        private int end;
        private int number;
        private long nowNs;
        private long progressNs;
        private long digest = 1;
        private int again;

        Course(long seed) {
            random = new SplittableRandom(seed);
            count = 2 + random.nextInt(4);
            clean = seed % 4 == 0;
            delayNs = new long[count];
            deadFromNs = new long[count];
            deadToNs = new long[count];
            for (int i = 0; i < count; i++) {
                delayNs[i] = 20_000L + random.nextInt(200_000);
                deadFromNs[i] = clean || random.nextBoolean() ? Times.NEVER : random.nextInt(10_000_000);
                deadToNs[i] = deadFromNs[i] + random.nextInt(8_000_000);
            }
            spray = new Spray(count, 1 + random.nextInt(8), WINDOW, FIRST_PSN, random.nextInt(2) * 20_000_000L, this);
            if (random.nextInt(3) > 0) {
                spray.withCongestionControl();
            }
        }

        @Override
        public void onRetired(int path) {
            reports.append('-').append(path);
        }

        @Override
        public void onRevived(int path) {
            reports.append('+').append(path);
        }

        private static int psn(int at) {
            return FIRST_PSN + at & 0xff_ffff;
        }

        private void later(long afterNs, Runnable step) {
            events.add(new Event(nowNs + afterNs, number++, step));
        }

        private boolean loses(int path) {
            boolean dead = nowNs >= deadFromNs[path] && nowNs < deadToNs[path];
            return dead || !clean && random.nextInt(40) == 0;
        }

        private long delay(int path) {
            return delayNs[path] + (clean ? 0 : random.nextInt(30_000));
        }

        // Sending.

        private boolean step() {
            int asked = spray.probes().due();
            if (asked >= 0) {
                ask(asked);
                return true;
            }
            int lost = spray.firstLost();
            if (lost >= 0) {
                int at = lost - FIRST_PSN & 0xff_ffff;
                int[] request = requestOf(at);
                // Of a Read that was executed, only what is missing is requested again.
                boolean whole = request[0] == at && executed <= at;
                int psns = whole ? request[1] : run(at, request);
                if (!spray.admits(psns)) {
                    return false;
                }
                again++;
                send(at, psns, request[1] > 1);
                return true;
            }
            if (requests.size() == REQUESTS || end - complete > WINDOW - 6) {
                return false;
            }
            int psns = random.nextInt(6) == 0 ? 2 + random.nextInt(4) : 1;
            if (!spray.admits(psns)) {
                return false;
            }
            requests.add(new int[] {end, psns});
            send(end, psns, psns > 1);
            end += psns;
            return true;
        }

        private int run(int at, int[] request) {
            int psns = 1;
            while (at + psns < request[0] + request[1] && spray.isLost(psn(at + psns))) {
                psns++;
            }
            return psns;
        }

        private int[] requestOf(int at) {
            return requests.stream()
                    .filter(it -> it[0] <= at && at < it[0] + it[1])
                    .findFirst()
                    .orElseThrow();
        }

        private void ask(int path) {
            long nonce = spray.probes().nonce(path);
            spray.probes().asked(path, nowNs);
            if (!loses(path)) {
                later(2 * delay(path), () -> {
                    spray.probes().answered(path, nonce, nowNs);
                    settle();
                });
            }
        }

        private void send(int at, int psns, boolean data) {
            int path = spray.choose();
            spray.sent(psn(at), psns, data, 1_000, nowNs);
            if (loses(path)) {
                return;
            }
            int clock = Spray.clock(nowNs);
            boolean marked = !clean && random.nextInt(25) == 0;
            boolean trimmed = !clean && psns == 1 && random.nextInt(60) == 0;
            later(delay(path), () -> arrive(at, psns, path, clock, marked, trimmed));
        }

        // The receiver.

        private void arrive(int at, int psns, int path, int clock, boolean marked, boolean trimmed) {
            if (trimmed) {
                acknowledge(path, () -> spray.onTrim(psn(at), nowNs), marked, false);
                return;
            }
            boolean twice = at < executed || received.get(at);
            received.set(at, at + psns);
            Arrays.fill(pathOf, at, at + psns, path);
            int before = executed;
            while (received.get(executed)) {
                executed++;
            }
            for (int i = before; i < executed; i++) {
                respond(i);
            }
            if (twice) {
                for (int i = at; i < Math.min(at + psns, executed); i++) {
                    respond(i);
                }
            }
            acknowledge(path, () -> spray.onEcho(path, clock, nowNs), marked, twice);
        }

        private void respond(int at) {
            int path = pathOf[at];
            if (requestOf(at)[1] > 1 && !loses(path)) {
                later(delay(path), () -> {
                    spray.responded(psn(at), nowNs);
                    answered.set(at);
                    finish();
                });
            }
        }

        private void acknowledge(int path, Runnable echo, boolean marked, boolean twice) {
            int expected = executed;
            BitSet later = (BitSet) received.clone();
            if (loses(path)) {
                return;
            }
            later(delay(path), () -> {
                if (marked) {
                    spray.onMark(path);
                }
                spray.executed(psn(expected), nowNs);
                for (int i = later.nextSetBit(expected); i >= 0; i = later.nextSetBit(i + 1)) {
                    spray.received(psn(i), nowNs);
                }
                if (twice) {
                    spray.onDuplicate();
                }
                echo.run();
                for (int[] each : requests) {
                    if (each[1] == 1 && each[0] < expected) {
                        answered.set(each[0]);
                    }
                }
                finish();
            });
        }

        private void finish() {
            int before = complete;
            complete = answered.nextClearBit(0);
            progressNs = complete > before ? nowNs : progressNs;
            spray.complete(psn(complete), nowNs);
            settle();
        }

        private void settle() {
            spray.settle(nowNs);
            List<ConnectionPath> paths = spray.figures();
            assertTrue(
                    paths.stream().anyMatch(it -> it.state() == PathState.ACTIVE || it.state() == PathState.SUSPECT),
                    paths::toString);
            for (ConnectionPath each : paths) {
                digest = Digest.mix(Digest.mix(digest, each.losses()), each.marks() << 32 | each.bytes());
            }
            record();
        }

        private void record() {
            digest = Digest.mix(spray.stateDigest(digest), spray.deadlineNs());
            digest = Digest.mix(digest, spray.acknowledgeEvery() << 8 | reports.length());
        }

        // Time.

        /** Runs until all requests are answered, or too much has happened. */
        String run() {
            for (int i = 0; i < MOST_EVENTS; i++) {
                while (step()) {
                    record();
                }
                if (requests.size() == REQUESTS && complete == end) {
                    assertEquals(-1, spray.firstLost());
                    assertEquals(Times.NEVER, spray.deadlineNs());
                    return "%016x".formatted(digest);
                }
                next();
            }
            throw new AssertionError(complete + " of " + end + " PSNs answered after " + nowNs + " ns, " + reports
                    + ", " + spray.figures());
        }

        private void next() {
            long timeoutNs = progressNs + ACK_TIMEOUT_NS;
            long dueNs = Times.earlier(timeoutNs, spray.deadlineNs());
            Event event = events.peek();
            if (event != null && event.atNs <= dueNs) {
                nowNs = event.atNs;
                events.remove().step.run();
                return;
            }
            nowNs = Math.max(nowNs + 1, dueNs);
            if (nowNs >= timeoutNs) {
                spray.onTimeout();
                progressNs = nowNs;
            }
            settle();
        }
    }

    @Test
    void everyRequestIsAnswered() {
        Seeds.each(25, seed -> {
            Course course = new Course(seed);
            String digest = course.run();
            if (course.clean) {
                assertEquals(0, course.again, "packets sent again without a loss");
                assertEquals("", course.reports.toString());
            }
            if (RECORD) {
                System.out.println(digest);
            } else if (!Seeds.fresh() && seed <= COURSES.size()) {
                assertEquals(COURSES.get((int) seed - 1), digest, "the course has changed");
            }
        });
    }
}
