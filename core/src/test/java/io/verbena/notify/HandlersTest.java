package io.verbena.notify;

import static io.verbena.queue.CompletionRing.REQUESTED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CqHandler;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.VerbsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Handlers of an RNIC: identifications, the limit, and waits for handlers that run. */
class HandlersTest {

    private static final HandlerOptions OPTIONS = HandlerOptions.defaults();
    private static final CqHandler NOTHING = cq -> {};

    private final FakeNotificationHost host = new FakeNotificationHost();
    private final List<FakeCq> cqs = new ArrayList<>();
    private final Handlers handlers = new Handlers(host, 3, cqs);

    private List<CqHandlerId> add(CqHandler... wanted) {
        return handlers.add(List.of(wanted), host.processor, OPTIONS);
    }

    private FakeCq cqOf(RegisteredHandler handler) {
        FakeCq cq = new FakeCq(cqs.size() + 1);
        cqs.add(cq);
        cq.notifier().handler(Optional.of(handler));
        return cq;
    }

    @Test
    void add_givesIdentificationsFromOne_neverOneTwice() {
        assertEquals(List.of(new CqHandlerId(1), new CqHandlerId(2)), add(NOTHING, NOTHING));
        handlers.remove(new CqHandlerId(2));
        assertEquals(List.of(new CqHandlerId(3)), add(NOTHING));
        assertEquals(2, handlers.size());
        assertEquals(3, handlers.most());
        assertTrue(handlers.knows(new CqHandlerId(3)));
        assertFalse(handlers.knows(new CqHandlerId(2)));
        assertEquals(new CqHandlerId(3), handlers.get(new CqHandlerId(3)).id());
        IllegalArgumentException e =
                assertThrows(IllegalArgumentException.class, () -> handlers.get(new CqHandlerId(2)));
        assertEquals("no CQ handler has the identification 2", e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> handlers.remove(new CqHandlerId(2)));
    }

    @Test
    void add_beyondTheLimit_isRefused_allOrNone() {
        add(NOTHING, NOTHING);
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> add(NOTHING, NOTHING));
        assertEquals(
                "this RNIC has room for 1 more CQ handlers of 3, not for 2; several CQs can share one", e.getMessage());
        add(NOTHING);
        assertThrows(IllegalStateException.class, () -> add(NOTHING));
        assertEquals(3, handlers.size());
        Handlers one = new Handlers(host, 1, cqs);
        one.add(List.of(NOTHING), host.processor, OPTIONS);
        IllegalStateException single =
                assertThrows(IllegalStateException.class, () -> one.add(List.of(NOTHING), host.processor, OPTIONS));
        assertEquals("this RNIC has one CQ handler and it is set; replace it, or remove it first", single.getMessage());
    }

    @Test
    @SuppressWarnings("NullAway") // callers without the check exist
    void add_null_isMisuse_andTakesNoPlace() {
        assertThrows(NullPointerException.class, () -> handlers.add(List.of(NOTHING), null, OPTIONS));
        assertThrows(NullPointerException.class, () -> handlers.add(List.of(NOTHING), host.processor, null));
        List<CqHandler> withNull = new ArrayList<>();
        withNull.add(NOTHING);
        withNull.add(null);
        assertThrows(NullPointerException.class, () -> handlers.add(withNull, host.processor, OPTIONS));
        assertEquals(0, host.processor.attached);
        add(NOTHING, NOTHING, NOTHING);
    }

    @Test
    void add_processorRefuses_thePlacesAreFreeAgain() {
        host.processor.failing = "attach";
        assertThrows(AssertionError.class, () -> add(NOTHING, NOTHING, NOTHING));
        assertEquals(0, handlers.size());
        host.processor.failing = "";
        add(NOTHING, NOTHING, NOTHING);
        assertEquals(3, handlers.size());
        assertEquals(0, host.processor.detached);
    }

    @Test
    void add_processorRefusesTheSecond_theFirstLeavesItsProcessor() {
        host.processor.places = 1;
        assertThrows(AssertionError.class, () -> add(NOTHING, NOTHING));
        assertEquals(1, host.processor.attached);
        assertEquals(1, host.processor.detached);
        host.processor.places = Integer.MAX_VALUE;
        add(NOTHING, NOTHING, NOTHING);
    }

    @Test
    void remove_cqsHaveItNoLonger() {
        add(NOTHING, NOTHING);
        FakeCq first = cqOf(handlers.get(new CqHandlerId(1)));
        FakeCq second = cqOf(handlers.get(new CqHandlerId(2)));
        handlers.remove(new CqHandlerId(1));
        assertEquals(Optional.empty(), first.notifier().handler());
        assertTrue(second.notifier().handler().isPresent());
        assertEquals(List.of(), host.waits, "it does not run");
        assertEquals(1, host.processor.detached);
    }

    /** Runs an action in another thread while the only handler runs for a CQ. */
    private void whileItRuns(Runnable action) {
        Throwable[] thrown = new Throwable[1];
        add(cq -> {
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    action.run();
                } catch (Throwable e) {
                    thrown[0] = e;
                }
            });
            try {
                other.join();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        FakeCq cq = cqOf(handlers.get(new CqHandlerId(1)));
        cq.notifier().signal(REQUESTED);
        host.processor.serve();
        if (thrown[0] != null) {
            throw new AssertionError(thrown[0]);
        }
    }

    @Test
    void remove_whileItRunsElsewhere_waits_andSaysSoIfItDoesNotEnd() {
        whileItRuns(() -> {
            int[] signals = new int[1];
            host.whileWaiting = () -> {
                handlers.ended();
                signals[0] = host.signals;
            };
            handlers.ended();
            assertEquals(0, host.signals, "nothing waits yet");
            VerbsException e = assertThrows(VerbsException.class, () -> handlers.remove(new CqHandlerId(1)));
            assertEquals("CQ handler 1 is removed, but it still runs after 10 seconds.", e.getMessage());
            assertEquals(1, signals[0]);
            assertEquals(List.of(10_000_000_000L), host.waits);
            handlers.ended();
            assertEquals(1, host.signals, "nothing waits any more");
        });
        assertEquals(0, handlers.size());
    }

    @Test
    void close_whileAHandlerRunsElsewhere_waits() {
        whileItRuns(() -> {
            VerbsException e = assertThrows(VerbsException.class, handlers::close);
            assertEquals("The RNIC is closed, but a handler still runs after 10 seconds.", e.getMessage());
        });
        handlers.close();
        assertEquals(1, host.waits.size(), "nothing runs: no wait");
        IllegalStateException e = assertThrows(IllegalStateException.class, () -> add(NOTHING));
        assertEquals("the RNIC is closed", e.getMessage());
    }

    @Test
    void remove_byAnEngine_mustNotWait() {
        whileItRuns(() -> {
            host.mustNotWait = true;
            VerbsException e = assertThrows(VerbsException.class, () -> handlers.remove(new CqHandlerId(1)));
            assertTrue(String.valueOf(e.getMessage()).contains("cannot wait"), e::getMessage);
            assertEquals(List.of(), host.waits);
        });
    }

    @Test
    void remove_byItself_doesNotWait() {
        add(cq -> handlers.remove(new CqHandlerId(1)));
        FakeCq cq = cqOf(handlers.get(new CqHandlerId(1)));
        cq.notifier().signal(REQUESTED);
        host.processor.serve();
        assertEquals(0, handlers.size());
        assertEquals(List.of(), host.waits);
        assertEquals(0, cq.notifier().figures().failures());
    }

    @Test
    void awaitEnd_conditionComesTrueMeanwhile_returns() {
        boolean[] over = new boolean[1];
        host.whileWaiting = () -> over[0] = true;
        handlers.awaitEnd("It is closed, but a callback", () -> over[0]);
        assertEquals(1, host.waits.size());
    }

    @Test
    void close_removesHandlersAndCallbacksOfCqs() {
        add(NOTHING);
        int[] called = {0};
        RegisteredHandler callback = handlers.unregistered(() -> called[0]++);
        FakeCq cq = cqOf(handlers.get(new CqHandlerId(1)));
        cq.notifier().ready(Optional.of(callback));
        cq.notifier().signal(REQUESTED);
        host.processor.serve();
        assertEquals(1, called[0]);
        cq.notifier().signal(REQUESTED);
        handlers.close();
        host.processor.serve();
        assertEquals(1, called[0]);
        assertTrue(callback.removed());
        assertEquals(Optional.empty(), cq.notifier().handler());
        assertEquals(2, host.processor.detached);
    }
}
