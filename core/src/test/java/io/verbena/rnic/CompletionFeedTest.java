package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.MemoryNetwork;
import io.verbena.fixture.StillEnvironment;
import io.verbena.port.StreamLoop;
import io.verbena.rnic.iwarp.IwarpTransport;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.Notification;
import io.verbena.verbs.RnicOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A completion queue whose engine is the test, in an RNIC that its users drive. */
class CompletionFeedTest {

    private int progressed;
    private long waitedNs;
    private int adopted;
    private Runnable progress = () -> {};

    private final SoftRnic rnic = new SoftRnic(
            new StillEnvironment() {
                @Override
                public boolean inline() {
                    return true;
                }

                @Override
                public int progress() {
                    progressed++;
                    progress.run();
                    return 3;
                }

                @Override
                public int progress(long timeoutNs) {
                    waitedNs = timeoutNs;
                    return 4;
                }

                @Override
                public void adopt() {
                    adopted++;
                }

                @Override
                public StreamLoop streams(int engine) {
                    return new MemoryNetwork();
                }
            },
            RnicOptions.defaults(),
            new IwarpTransport());
    private final CompletionFeed feed = new CompletionFeed(rnic, CompletionQueueOptions.capacity(2));
    private final CompletionCursor cursor = feed.cq().cursor();

    private boolean publish(long wrId) {
        return feed.publish(wrId, CompletionOpcode.SEND, 0);
    }

    @Test
    void cursorOfAnEmptyQueue_makesProgress_andShowsWhatThatBrought() {
        progress = () -> publish(7);
        assertTrue(cursor.next());
        assertEquals(7, cursor.wrId());
        assertEquals(1, progressed);
        progress = () -> {};
        assertFalse(cursor.next());
        assertEquals(2, progressed);
        publish(8);
        assertTrue(cursor.next());
        assertEquals(2, progressed, "an entry was there");
        rnic.close();
        assertFalse(cursor.next());
        assertEquals(2, progressed, "a closed RNIC is not driven");
    }

    @Test
    void entries_arePublishedUntilTheRingIsFull_andAgainInALargerOne() {
        AtomicInteger events = new AtomicInteger();
        feed.cq().onReady(events::incrementAndGet);
        feed.cq().requestNotification(Notification.NEXT);
        assertTrue(publish(1));
        assertTrue(publish(2));
        assertFalse(publish(3));
        assertEquals(0, events.get());
        feed.settle();
        assertEquals(1, events.get());
        feed.resize(4);
        assertTrue(publish(3));
        for (long id = 1; id <= 3; id++) {
            assertTrue(cursor.next());
            assertEquals(id, cursor.wrId());
        }
        assertThrows(IllegalStateException.class, () -> feed.cq().close());
        feed.leave();
        feed.cq().close();
    }

    @Test
    void progressAndAdopt_areThoseOfTheEnvironment_untilTheRnicIsClosed() {
        assertEquals(3, rnic.progress());
        assertEquals(4, rnic.progress(Duration.ofMillis(5)));
        assertEquals(5_000_000, waitedNs);
        rnic.adopt();
        assertEquals(1, adopted);
        rnic.close();
        assertEquals(0, rnic.progress());
        assertEquals(0, rnic.progress(Duration.ofMillis(7)));
        assertEquals(5_000_000, waitedNs);
    }
}
