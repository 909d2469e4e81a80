package io.verbena.rnic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.rnic.completion.Notified;
import io.verbena.rnic.completion.SoftCompletionQueue;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerFigures;
import io.verbena.verbs.Notification;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events in progress while CQs get another handler, and the statistics of the handlers that run. */
class HandlerMovesTest {

    private static final int MANY = 70; // a ring has 64 records

    private final ManualWorld world = new ManualWorld();
    private final SoftRnic rnic = world.rnic();
    private final SteppedProcessor old = new SteppedProcessor();
    private final SteppedProcessor fresh = new SteppedProcessor();
    private final List<String> ran = new ArrayList<>();
    private final CqHandlerId from = rnic.setCompletionHandler(cq -> ran.add("old"), old);
    private final CqHandlerId to = rnic.setCompletionHandler(cq -> ran.add("fresh"), fresh);

    @AfterEach
    void close() {
        world.close();
    }

    private List<SoftCompletionQueue> signalled(int count) {
        List<SoftCompletionQueue> cqs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            cqs.add(Notified.cq(rnic, from));
        }
        Notified.signalAll(cqs);
        return cqs;
    }

    private long count(String name) {
        return ran.stream().filter(name::equals).count();
    }

    @Test
    void oneOfManyCqsMoves_itsEventGoesAlong_theOthersStayAndRunOnceEach() {
        for (int moved : new int[] {0, 1, MANY / 2, MANY - 1}) {
            ran.clear();
            List<SoftCompletionQueue> cqs = signalled(MANY);
            cqs.get(moved).handler(Optional.of(to));
            assertEquals(1, fresh.run());
            assertEquals(1, count("fresh"));
            old.run();
            assertEquals(MANY - 1, count("old"));
            old.run();
            fresh.run();
            assertEquals(MANY, ran.size());
        }
    }

    @Test
    void manyCqsMove_oneAfterTheOther_eachRunsOnce() {
        List<SoftCompletionQueue> cqs = signalled(MANY);
        for (SoftCompletionQueue cq : cqs) {
            cq.handler(Optional.of(to));
        }
        old.run();
        assertEquals(List.of(), ran, "the old handler has no CQ any more");
        fresh.run();
        assertEquals(MANY, count("fresh"));
    }

    @Test
    void handlerRemoved_itsEventsWaitForTheNext_thoseBesideTheRingToo() {
        List<SoftCompletionQueue> cqs = signalled(MANY);
        rnic.removeCompletionHandler(from);
        old.run();
        fresh.run();
        assertEquals(List.of(), ran);
        for (SoftCompletionQueue cq : cqs) {
            cq.handler(Optional.of(to));
        }
        fresh.run();
        assertEquals(MANY, count("fresh"));
    }

    @Test
    void processorEnds_eventsWaitForAnotherHandler() {
        List<SoftCompletionQueue> cqs = signalled(2);
        old.close();
        cqs.forEach(cq -> cq.handler(Optional.of(to)));
        fresh.run();
        assertEquals(2, count("fresh"));
    }

    @Test
    void figures_countRunsEntriesAndTimes() {
        CqHandlerId measured = rnic.setCompletionHandler(
                cq -> {
                    assertEquals(true, cq.cursor().next());
                    world.pass(500);
                },
                old);
        SoftCompletionQueue cq = Notified.cq(rnic, measured);
        cq.requestNotification(Notification.NEXT);
        Notified.push(cq, 1);
        world.pass(6);
        old.run();
        for (HandlerFigures figures : List.of(rnic.queryCompletionHandler(measured), cq.figures())) {
            assertEquals(1, figures.events());
            assertEquals(1, figures.completions());
            assertEquals(0, figures.failures());
            assertEquals(6, figures.toHandlerMedianNs());
            assertEquals(500, figures.inHandlerNs());
            assertEquals(500, figures.inHandlerMaxNs());
        }
    }
}
