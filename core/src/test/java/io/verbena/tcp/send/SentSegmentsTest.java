package io.verbena.tcp.send;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Seeds;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The scoreboard: the order of transmission, and what an acknowledgment costs at a window of 4 MiB. */
class SentSegmentsTest {

    private static final int SEGMENT = 1440;
    private static final int COUNT = (4 << 20) / SEGMENT;
    private static final long SPACING_NS = 1_000;
    private static final SentSegments.Delivery NOBODY = (from, to, sentAtNs, sentOnce) -> {};

    private long nowNs;
    private final SentSegments sent = new SentSegments();
    private final Rack rack = new Rack();
    private final RttEstimator rtt = new RttEstimator(200_000_000);
    private final SentSegments.Delivery toRack =
            (from, to, sentAtNs, sentOnce) -> rack.onDelivered(to, sentAtNs, sentOnce, rtt.leastNs(), nowNs);

    private void send(int count) {
        for (int i = 0; i < count; i++) {
            long from = sent.count() == 0 ? 0 : sent.to(sent.count() - 1);
            nowNs += SPACING_NS;
            sent.add(from, from + SEGMENT, nowNs);
        }
    }

    private long visitsOf(Runnable acknowledgment) {
        long before = sent.visits();
        acknowledgment.run();
        return sent.visits() - before;
    }

    /** Each acknowledgment reports one more segment after a hole, in one growing block. */
    @Test
    void windowOf4MiB_oneHole_anAcknowledgmentVisitsWhatItChanges() {
        send(COUNT);
        rtt.sample(COUNT * SPACING_NS);
        long visits = 0;
        for (int i = 2; i <= COUNT; i++) {
            long right = (long) i * SEGMENT;
            nowNs += SPACING_NS;
            visits += visitsOf(() -> {
                sent.select(SEGMENT, right, toRack);
                rack.detect(sent, false, SEGMENT, rtt, nowNs);
            });
        }
        assertTrue(sent.waits(0), "the first segment is lost");
        assertTrue(
                visits <= 4L * COUNT, () -> "records visited per acknowledgment, too many: " + sent.visits() / COUNT);
    }

    /** Every 20th segment is lost; three blocks in each acknowledgment. */
    @Test
    void windowOf4MiB_manyHoles_anAcknowledgmentVisitsWhatItChanges() {
        send(COUNT);
        rtt.sample(COUNT * SPACING_NS);
        long visits = 0;
        for (int i = 1; i < COUNT; i++) {
            if (i % 20 == 0) {
                continue;
            }
            int last = i;
            nowNs += SPACING_NS;
            visits += visitsOf(() -> {
                for (int block = 0, hole = last / 20 * 20; block < 3 && hole >= 0; block++, hole -= 20) {
                    sent.select((hole + 1L) * SEGMENT, Math.min(hole + 20L, last + 1L) * SEGMENT, toRack);
                }
                rack.detect(sent, true, SEGMENT, rtt, nowNs);
                for (int next = sent.nextWaiting(); next != SentSegments.NONE; next = sent.nextWaiting()) {
                    sent.onRepeated(next, nowNs);
                }
            });
        }
        assertTrue(
                visits <= 8L * COUNT, () -> "records visited per acknowledgment, too many: " + sent.visits() / COUNT);
    }

    @Test
    void repeatedWhileInTheNetwork_becomesTheNewest() {
        send(3);
        sent.onRepeated(0, ++nowNs);
        assertEquals(1, sent.oldest());
        sent.lose(1);
        assertEquals(2, sent.oldest());
        sent.acknowledge(2 * SEGMENT, NOBODY);
        assertEquals(0, sent.oldest());
        assertFalse(sent.anyWaiting());
    }

    /** Random operations: the order by time, the pipe and the selectively acknowledged bytes agree with a walk over all records. */
    @Tag(Seeds.TAG)
    @Test
    void randomOperations_orderAndSums_agreeWithAWalk() {
        Seeds.each(40, seed -> new SentSegmentsTest().randomOperations(new Random(seed), "seed " + seed));
    }

    private void randomOperations(Random random, String again) {
        for (int i = 0; i < 400; i++) {
            nowNs += random.nextInt(3);
            int count = sent.count();
            int any = count == 0 ? 0 : random.nextInt(count);
            switch (random.nextInt(count == 0 ? 1 : 8)) {
                case 0, 1 -> send(1 + random.nextInt(6));
                case 2 -> sent.acknowledge(sent.from(any) + random.nextInt(SEGMENT), NOBODY);
                case 3 -> sent.select(sent.from(any), sent.to(random.nextInt(any, count)) + random.nextInt(7), NOBODY);
                case 4 -> sent.lose(any);
                case 5 -> {
                    if (sent.anyWaiting()) {
                        sent.onRepeated(sent.nextWaiting(), nowNs);
                    }
                }
                case 6 -> {
                    if (sent.lastOutstanding(Long.MAX_VALUE) >= 0) {
                        sent.onRepeated(sent.lastOutstanding(Long.MAX_VALUE), nowNs);
                    }
                }
                default -> {
                    if (random.nextInt(20) == 0) {
                        sent.loseAll();
                    } else if (random.nextInt(3) == 0) {
                        sent.findAgain();
                    }
                }
            }
            check(again);
        }
    }

    private void check(String again) {
        long sacked = 0;
        long earliestNs = Long.MAX_VALUE;
        for (int i = 0; i < sent.count(); i++) {
            sacked += sent.sacked(i) ? sent.to(i) - sent.from(i) : 0;
            if (!sent.sacked(i) && !sent.waits(i)) {
                earliestNs = Math.min(earliestNs, sent.sentNs(i));
            }
        }
        assertEquals(sacked, sent.sackedBytes(), again);
        int oldest = sent.oldest();
        assertEquals(earliestNs, oldest == SentSegments.NONE ? Long.MAX_VALUE : sent.sentNs(oldest), again);
        if (oldest != SentSegments.NONE) {
            assertFalse(sent.sacked(oldest) || sent.waits(oldest), again);
        }
    }
}
