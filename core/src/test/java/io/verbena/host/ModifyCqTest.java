package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.fixture.Rounds;
import io.verbena.host.system.Threads;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.IwarpQueuePairState;
import io.verbena.verbs.Notification;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Handlers are assigned, moved and removed in real time while messages arrive. Rounds: system property verbena.rounds. The races
 * of stress try the same steps millions of times; this test shows that the whole is put together from them.
 */
class ModifyCqTest {

    private static final int ROUNDS = Integer.getInteger("verbena.rounds", Rounds.of(200, 1_000));

    private final Rnic rnic = new IwarpProvider().open(RnicOptions.defaults());
    private final HandlerProcessor processor = HandlerProcessor.open(ProcessorOptions.thread("modified"));
    private final Site near = new Site(rnic);
    private final Site far = new Site(rnic);
    private final AtomicInteger handled = new AtomicInteger();
    private final CompletionCursor cursor = far.cq.cursor();
    private final CqHandler drains = cq -> {
        while (cursor.next()) {
            handled.incrementAndGet();
        }
        cq.requestNotification(Notification.NEXT);
    };
    private int sent;

    @BeforeEach
    void connect() throws IOException {
        Site.connect(rnic, near.queuePair, far.queuePair);
    }

    @AfterEach
    void close() {
        rnic.close();
        processor.close();
    }

    private void send() {
        assertTrue(far.queuePair.postReceive(sent, far.memory, 0, 16));
        assertTrue(near.queuePair.postSend(sent, near.memory, 0, 16, WrFlags.SIGNALLED));
        sent++;
    }

    /** One message, one change at the same time, and then nothing more: the message must reach its handler. */
    private void afterEachChange(Runnable change) {
        far.cq.requestNotification(Notification.NEXT);
        for (int round = 0; round < ROUNDS; round++) {
            send();
            change.run();
            near.complete(sent - 1);
            Until.holds("message " + sent + " was handled", () -> handled.get() == sent);
        }
    }

    @Test
    void handlerTakenAwayAndGivenBack_thenAllStops_isNotified() {
        CqHandlerId id = rnic.setCompletionHandler(drains, processor);
        far.cq.handler(Optional.of(id));
        afterEachChange(() -> {
            far.cq.handler(Optional.empty());
            far.cq.handler(Optional.of(id));
        });
    }

    @Test
    void handlerMovedBetweenProcessors_thenAllStops_isNotified() {
        CqHandlerId first = rnic.setCompletionHandler(drains, processor);
        CqHandlerId second = rnic.setCompletionHandler(drains);
        afterEachChange(() -> {
            far.cq.handler(Optional.of(first));
            far.cq.handler(Optional.of(second));
        });
    }

    @Test
    void handlerRemovedAndAnotherAssociated_thenAllStops_isNotified() {
        afterEachChange(() -> {
            far.cq.handler().ifPresent(rnic::removeCompletionHandler);
            far.cq.handler(Optional.of(rnic.setCompletionHandler(drains, processor)));
        });
    }

    @Test
    void handlersChangeAllTheTime_bystanderOnTheSameEngine_goesOn() throws IOException {
        Site one = new Site(rnic);
        Site other = new Site(rnic);
        Site.connect(rnic, one.queuePair, other.queuePair);
        CqHandlerId id = rnic.setCompletionHandler(drains, processor);
        far.cq.requestNotification(Notification.NEXT);
        AtomicBoolean over = new AtomicBoolean();
        Thread changes = Thread.ofPlatform().daemon().start(() -> {
            while (!over.get()) {
                far.cq.handler(Optional.empty());
                far.cq.handler(Optional.of(id));
            }
        });
        for (int round = 0; round < 10 * ROUNDS; round++) {
            send();
            near.complete(sent - 1);
            Until.holds("the CQ has room", () -> sent - handled.get() < 128);
        }
        over.set(true);
        assertTrue(Threads.join(changes, Until.LONG_NS));
        Until.holds("all was handled", () -> handled.get() == sent);
        Site.exchange(one, other, 1000, 7);
        assertEquals(IwarpQueuePairState.RTS, one.queuePair.query().state());
    }
}
