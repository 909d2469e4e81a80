package io.verbena.notify;

import static io.verbena.queue.CompletionRing.FAILED;
import static io.verbena.queue.CompletionRing.REQUESTED;
import static io.verbena.queue.CompletionRing.SOLICITED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.notify.NotificationFlow.Event;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Requests, entries and handlers of one CQ, in the orders in which they can come. */
class CqNotifierTest {

    /** Bits of two types of entries. */
    private static final int SENDS = 8;

    private static final int RECEIVES = 16;

    private final FakeNotificationHost host = new FakeNotificationHost();
    private final FakeCq cq = new FakeCq(1);
    private final CqNotifier notifier = cq.notifier();
    private final List<String> log = new ArrayList<>();

    private RegisteredHandler handler(int id) {
        return new RegisteredHandler(
                host,
                new CqHandlerId(id),
                which -> log.add("handler " + id + " for " + which + ": "
                        + Event.values()[notifier.dispatch().cause()]),
                host.processor,
                HandlerOptions.defaults());
    }

    private RegisteredHandler associated(int id) {
        RegisteredHandler registeredHandler = handler(id);
        notifier.handler(Optional.of(registeredHandler));
        return registeredHandler;
    }

    /** Serves everything; what the handlers said. */
    private List<String> served() {
        for (int i = 0; i < 10 && host.processor.serve() > 0; i++) {}
        List<String> taken = List.copyOf(log);
        log.clear();
        return taken;
    }

    private static List<String> one(Event event) {
        return List.of("handler 5 for cq 1: " + event);
    }

    // Requests.

    @Test
    void requestedNext_firstEntry_isOneEvent_theOthersAreNone() {
        associated(5);
        notifier.signal(0);
        assertEquals(List.of(), served(), "nothing was requested");
        notifier.request(Event.NEXT_REQUESTED);
        assertEquals(List.of(), served(), "there is no entry");
        notifier.signal(0);
        notifier.signal(0);
        assertEquals(one(Event.PLAIN_ENTRY), served());
        notifier.signal(0);
        assertEquals(List.of(), served());
    }

    @Test
    void requestedNext_entryIsThere_isAnEventAtOnce() {
        associated(5);
        cq.any = true;
        notifier.request(Event.NEXT_REQUESTED);
        assertEquals(one(Event.PLAIN_ENTRY), served());
    }

    @Test
    void requestedSolicited_plainEntry_isNoEvent_aSolicitedOrFailedOneIs() {
        associated(5);
        notifier.request(Event.SOLICITED_REQUESTED);
        notifier.signal(0);
        notifier.signal(SENDS);
        assertEquals(List.of(), served());
        notifier.signal(SOLICITED);
        assertEquals(one(Event.SOLICITED_ENTRY), served());
        notifier.request(Event.SOLICITED_REQUESTED);
        notifier.signal(FAILED | SOLICITED);
        assertEquals(one(Event.FAILED_ENTRY), served());
    }

    @Test
    void requestedSolicited_entriesThere_onlyOneThatQualifiesIsAnEvent() {
        associated(5);
        cq.any = true;
        cq.causes = SENDS;
        notifier.request(Event.SOLICITED_REQUESTED);
        assertEquals(List.of(), served());
        for (int cause : new int[] {SOLICITED, FAILED, REQUESTED}) {
            cq.causes = cause;
            notifier.request(Event.SOLICITED_REQUESTED);
            assertEquals(one(Event.SOLICITED_ENTRY), served(), "cause " + cause);
        }
    }

    @Test
    void requestedTypes_onlyEntriesOfThem_alsoThoseOfAnEarlierRequest() {
        associated(5);
        notifier.request(SENDS);
        notifier.signal(RECEIVES);
        notifier.signal(SOLICITED);
        assertEquals(List.of(), served());
        notifier.request(RECEIVES);
        notifier.signal(SENDS);
        assertEquals(one(Event.WANTED_ENTRY), served());
        notifier.signal(RECEIVES);
        assertEquals(List.of(), served(), "the event used the request up");
        notifier.request(RECEIVES);
        notifier.signal(SENDS);
        assertEquals(List.of(), served(), "also the part that it did not answer");
        cq.causes = SENDS;
        notifier.signalIfDue();
        assertEquals(List.of(), served());
        cq.causes = RECEIVES;
        notifier.signalIfDue();
        assertEquals(one(Event.WANTED_ENTRY), served());
    }

    @Test
    void requestedSolicitedAndTypes_inEitherOrder_bothAreEvents() {
        associated(5);
        notifier.request(Event.SOLICITED_REQUESTED);
        notifier.request(SENDS);
        notifier.signal(SOLICITED);
        assertEquals(one(Event.WANTED_ENTRY), served());
        notifier.request(SENDS);
        notifier.request(Event.SOLICITED_REQUESTED);
        notifier.signal(SOLICITED);
        assertEquals(one(Event.WANTED_ENTRY), served());
        notifier.request(SENDS);
        notifier.request(Event.SOLICITED_REQUESTED);
        notifier.signal(SENDS);
        assertEquals(one(Event.WANTED_ENTRY), served());
    }

    @Test
    void requestedNextAfterTypes_anyEntryIsAnEvent_andFewerAreNotRequestedAgain() {
        associated(5);
        notifier.request(SENDS);
        notifier.request(Event.NEXT_REQUESTED);
        notifier.request(SENDS);
        notifier.signal(RECEIVES);
        assertEquals(one(Event.PLAIN_ENTRY), served());
    }

    @Test
    void entryThatRequestsItsEvent_needsNoRequest_andComesBeforeOtherCauses() {
        associated(5);
        notifier.signal(REQUESTED | FAILED | SOLICITED);
        assertEquals(one(Event.REQUESTED_ENTRY), served());
        notifier.request(Event.NEXT_REQUESTED);
        notifier.signal(REQUESTED);
        assertEquals(one(Event.REQUESTED_ENTRY), served());
        notifier.signal(0);
        assertEquals(List.of(), served(), "it used the request up");
        notifier.signal(FAILED);
        notifier.signal(SOLICITED);
        assertEquals(List.of(), served());
    }

    @Test
    void solicitedAlwaysSignals_solicitedAndFailedEntries_needNoRequest() {
        FakeCq always = new FakeCq(2, true);
        always.notifier().handler(Optional.of(handler(5)));
        always.notifier().signal(SOLICITED);
        assertEquals(1, host.processor.serve());
        always.notifier().signal(FAILED);
        assertEquals(1, host.processor.serve());
        always.notifier().signal(0);
        assertEquals(0, host.processor.serve());
    }

    @Test
    void disarms_saysWhetherEntriesUseTheRequestUp() {
        assertFalse(notifier.disarms(REQUESTED), "nothing is requested");
        notifier.request(SENDS);
        assertTrue(notifier.disarms(SENDS));
        assertTrue(notifier.disarms(FAILED));
        assertFalse(notifier.disarms(RECEIVES));
        notifier.request(Event.NEXT_REQUESTED);
        assertTrue(notifier.disarms(0));
    }

    // Without a handler.

    @Test
    void noHandler_theRequestStays_andIsAnsweredWhenOneIsAssociated() {
        notifier.request(Event.NEXT_REQUESTED);
        cq.any = true;
        notifier.signal(0);
        assertNull(notifier.target());
        associated(5);
        assertEquals(one(Event.PLAIN_ENTRY), served());
        cq.any = false;
        notifier.handler(Optional.empty());
        notifier.request(Event.NEXT_REQUESTED);
        associated(5);
        assertEquals(List.of(), served(), "there is no entry");
    }

    @Test
    void noHandler_entryThatRequestsItsEvent_isKeptAsARequest() {
        notifier.signal(REQUESTED);
        assertTrue(notifier.disarms(0));
        cq.any = true;
        associated(5);
        assertEquals(one(Event.PLAIN_ENTRY), served());
    }

    @Test
    void closedCq_isNotSignalled() {
        RegisteredHandler five = associated(5);
        assertSame(five, notifier.usableTarget());
        cq.closed = true;
        assertNull(notifier.usableTarget());
        notifier.request(Event.NEXT_REQUESTED);
        notifier.signal(0);
        assertEquals(List.of(), served());
    }

    // Handlers that change.

    @Test
    void handlerReplaced_whileAnEventWaits_theNewOneRunsForIt() {
        RegisteredHandler five = associated(5);
        notifier.request(Event.SOLICITED_REQUESTED);
        host.nowNs = 2000;
        notifier.signal(SOLICITED);
        assertFalse(notifier.dispatch().idle());
        assertEquals(1, five.ring().size());
        RegisteredHandler six = associated(6);
        assertEquals(0, five.ring().size());
        assertEquals(1, six.ring().size());
        assertEquals(Optional.of(six), notifier.handler());
        assertEquals(List.of("handler 6 for cq 1: SOLICITED_ENTRY"), served());
        assertEquals(6, notifier.dispatch().datum());
        assertTrue(notifier.dispatch().idle());
        assertEquals(0, five.figures().events());
        assertEquals(1, six.figures().events());
    }

    @Test
    void handlerTakenAway_whileAnEventWaits_itBecomesARequest() {
        associated(5);
        notifier.request(Event.SOLICITED_REQUESTED);
        notifier.signal(SOLICITED);
        notifier.handler(Optional.empty());
        assertEquals(Optional.empty(), notifier.handler());
        assertTrue(notifier.dispatch().idle());
        assertEquals(List.of(), served());
        assertTrue(notifier.disarms(0), "for any entry: the one that signalled may be plain");
        cq.any = true;
        associated(5);
        assertEquals(one(Event.PLAIN_ENTRY), served());
    }

    @Test
    void sameHandlerAgain_anEventThatWaits_isNotDoubled() {
        RegisteredHandler five = associated(5);
        notifier.request(Event.NEXT_REQUESTED);
        notifier.signal(0);
        notifier.handler(Optional.of(five));
        assertEquals(one(Event.PLAIN_ENTRY), served());
    }

    @Test
    void callback_replacesTheHandler_untilItIsTakenBack() {
        associated(5);
        RegisteredHandler callback = handler(9);
        assertEquals(Optional.empty(), notifier.ready(Optional.of(callback)));
        assertSame(callback, notifier.target());
        notifier.signal(REQUESTED);
        assertEquals(List.of("handler 9 for cq 1: REQUESTED_ENTRY"), served());
        associated(6);
        assertSame(callback, notifier.target(), "a handler does not displace it");
        assertEquals(Optional.of(callback), notifier.ready(Optional.empty()));
        notifier.signal(REQUESTED);
        assertEquals(List.of("handler 6 for cq 1: REQUESTED_ENTRY"), served());
    }

    @Test
    void removed_onlyTheHandlerThatItHas() {
        RegisteredHandler five = associated(5);
        RegisteredHandler six = handler(6);
        notifier.removed(six);
        assertEquals(Optional.of(five), notifier.handler());
        notifier.removed(five);
        assertEquals(Optional.empty(), notifier.handler());
        assertNull(notifier.target());
        notifier.removed(five);
    }

    @Test
    void associate_aHandlerThatIsRemovedMeanwhile_isDropped() {
        RegisteredHandler five = handler(5);
        five.remove();
        notifier.handler(Optional.of(five));
        assertEquals(Optional.empty(), notifier.handler());
        assertNull(notifier.target());
    }

    @Test
    void cores_areThoseOfTheProcessor() {
        assertEquals(Set.of(), notifier.cores());
        associated(5);
        assertEquals(Set.of(3, 4), notifier.cores());
    }

    @Test
    void close_withdrawsAnEventThatWaits() {
        RegisteredHandler five = associated(5);
        notifier.request(Event.NEXT_REQUESTED);
        notifier.signal(0);
        cq.close();
        assertEquals(0, five.ring().size());
        assertTrue(notifier.dispatch().idle());
        assertEquals(List.of(), served());
        new FakeCq(2).close();
    }

    // Runs.

    @Test
    void eventWhileTheHandlerRuns_isAnotherRun() {
        int[] runs = {0};
        RegisteredHandler five = new RegisteredHandler(
                host,
                new CqHandlerId(5),
                which -> {
                    assertTrue(notifier.dispatch().runs());
                    if (runs[0]++ < 2) {
                        notifier.signal(REQUESTED);
                        notifier.signal(REQUESTED);
                        assertEquals(0, host.processor.signalled.size(), "it does not run twice at the same time");
                    }
                },
                host.processor,
                HandlerOptions.defaults());
        notifier.handler(Optional.of(five));
        notifier.signal(REQUESTED);
        served();
        assertEquals(3, runs[0]);
        assertEquals(3, cq.ended);
        assertFalse(notifier.dispatch().runs());
        assertTrue(notifier.dispatch().idle());
    }

    @Test
    void runsElsewhere_isAQuestionOfTheThread() throws InterruptedException {
        List<Boolean> seen = new ArrayList<>();
        RegisteredHandler[] five = new RegisteredHandler[1];
        RegisteredHandler six = handler(6);
        five[0] = new RegisteredHandler(
                host,
                new CqHandlerId(5),
                which -> {
                    seen.add(notifier.dispatch().runsElsewhere());
                    seen.add(notifier.dispatch().runsElsewhere(five[0]));
                    Thread other = Thread.ofPlatform().start(() -> {
                        seen.add(notifier.dispatch().runsElsewhere());
                        seen.add(notifier.dispatch().runsElsewhere(five[0]));
                        seen.add(notifier.dispatch().runsElsewhere(six));
                    });
                    try {
                        other.join();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                },
                host.processor,
                HandlerOptions.defaults());
        notifier.handler(Optional.of(five[0]));
        notifier.signal(REQUESTED);
        served();
        assertEquals(List.of(false, false, true, true, false), seen);
        assertFalse(notifier.dispatch().runsElsewhere());
    }

    @Test
    void figures_countRunsTimesAndFailures() {
        RegisteredHandler five = new RegisteredHandler(
                host,
                new CqHandlerId(5),
                which -> {
                    host.nowNs += 7;
                    cq.polled += 3;
                    if (cq.polled == 6) {
                        throw new AssertionError("on purpose");
                    }
                },
                host.processor,
                HandlerOptions.defaults());
        notifier.handler(Optional.of(five));
        for (int i = 0; i < 2; i++) {
            notifier.signal(REQUESTED);
            host.nowNs += 5;
            served();
        }
        assertEquals(
                List.of("handler 5 cq 1 after 5 for 7 polled 3", "handler 5 cq 1 after 5 for 7 polled 3"), host.runs);
        assertEquals(notifier.figures(), five.figures());
        assertEquals(2, five.figures().events());
        assertEquals(6, five.figures().completions());
        assertEquals(1, five.figures().failures());
        assertEquals(14, five.figures().inHandlerNs());
        assertEquals(7, five.figures().inHandlerMaxNs());
        assertEquals(5, five.figures().toHandlerMedianNs());
    }
}
