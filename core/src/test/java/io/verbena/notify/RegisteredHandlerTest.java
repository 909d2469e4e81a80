package io.verbena.notify;

import static io.verbena.queue.CompletionRing.REQUESTED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.HandlerOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A handler of many CQs: its ring, what does not fit in it, its processor, and its end. */
class RegisteredHandlerTest {

    private final FakeNotificationHost host = new FakeNotificationHost();
    private final List<Integer> served = new ArrayList<>();
    private final RegisteredHandler handler = newHandler(5);

    private RegisteredHandler newHandler(int id) {
        return new RegisteredHandler(
                host,
                new CqHandlerId(id),
                cq -> served.add(id * 1000 + ((FakeCq) cq).number()),
                host.processor,
                HandlerOptions.defaults());
    }

    private List<FakeCq> cqs(int count) {
        return IntStream.range(0, count)
                .mapToObj(number -> {
                    FakeCq cq = new FakeCq(number);
                    cq.notifier().handler(Optional.of(handler));
                    return cq;
                })
                .toList();
    }

    private static void signal(List<FakeCq> cqs) {
        cqs.forEach(cq -> cq.notifier().signal(REQUESTED));
    }

    private void serveAll() {
        for (int i = 0; i < 500 && host.processor.serve() > 0; i++) {}
    }

    @Test
    void moreEventsThanTheRingHolds_areAllServed_everyFourthIsOneThatDidNotFit() {
        List<FakeCq> cqs = cqs(66);
        signal(cqs);
        assertEquals(64, handler.ring().size());
        assertEquals(64, handler.ring().capacity());
        serveAll();
        assertEquals(66, served.size());
        assertEquals(List.of(5000, 5001, 5002, 5064, 5003, 5004, 5005, 5065, 5006, 5007), served.subList(0, 10));
        assertEquals(5063, served.getLast());
        assertEquals(66, handler.figures().events());
        assertTrue(host.runs.contains("handler 5 cq 65 after 0 for 0 polled 0"));
    }

    @Test
    void serve_saysWhetherThereIsMore() {
        List<FakeCq> cqs = cqs(2);
        assertFalse(handler.serve());
        signal(cqs);
        assertTrue(handler.serve());
        assertFalse(handler.serve());
        assertFalse(handler.serve());
        assertEquals(List.of(5000, 5001), served);
        signal(cqs(66));
        for (int i = 0; i < 65; i++) {
            assertTrue(handler.serve(), "after " + i);
        }
        assertFalse(handler.serve());
    }

    @Test
    void oneCqsCallback_hasARingOfTwoRecords() {
        RegisteredHandler callback =
                new RegisteredHandler(host, CqHandlerId.NONE, cq -> {}, host.processor, HandlerOptions.defaults());
        assertEquals(2, callback.ring().capacity());
        assertEquals(CqHandlerId.NONE, callback.id());
    }

    @Test
    void oneCqMoves_theEventsOfTheOthersStay() {
        List<FakeCq> cqs = cqs(4);
        signal(cqs);
        RegisteredHandler other = newHandler(6);
        cqs.get(1).notifier().handler(Optional.of(other));
        assertEquals(0, handler.ring().size(), "those that stay are beside the ring");
        serveAll();
        assertEquals(List.of(5000, 5002, 5003, 6001), served.stream().sorted().toList());
        served.clear();
        // Again, with events beside the ring from before.
        signal(cqs);
        cqs.get(2).notifier().handler(Optional.of(other));
        cqs.get(3).notifier().handler(Optional.of(other));
        serveAll();
        assertEquals(List.of(5000, 6001, 6002, 6003), served.stream().sorted().toList());
    }

    @Test
    void processorEnds_itsEventsBecomeRequests_andItIsReportedOnce() {
        List<FakeCq> cqs = cqs(2);
        signal(cqs);
        handler.abandon();
        handler.abandon();
        assertEquals(
                List.of("The processor of CQ handler 5 has ended; move its CQs to a handler on another one."),
                host.failures);
        assertFalse(handler.usable());
        assertTrue(cqs.get(0).notifier().disarms(0));
        signal(cqs);
        assertEquals(0, handler.ring().size(), "it gets no events from then on");
        cqs.forEach(cq -> cq.any = true);
        RegisteredHandler other = newHandler(6);
        cqs.get(0).notifier().handler(Optional.of(other));
        serveAll();
        assertEquals(List.of(6000), served);
    }

    @Test
    void processorThrows_isTakenForEnded() {
        List<FakeCq> cqs = cqs(1);
        host.processor.failing = "signal";
        signal(cqs);
        assertEquals(1, host.failures.size());
        assertTrue(cqs.getFirst().notifier().dispatch().idle());
        assertTrue(cqs.getFirst().notifier().disarms(0), "the event is a request again");
    }

    @Test
    void remove_doesNotReport_andContainsWhatTheProcessorThrows() {
        List<FakeCq> cqs = cqs(1);
        signal(cqs);
        host.processor.failing = "detach";
        handler.remove();
        assertEquals(1, host.processor.detached);
        assertTrue(handler.removed());
        assertFalse(handler.usable());
        assertTrue(cqs.getFirst().notifier().dispatch().idle());
        assertTrue(cqs.getFirst().notifier().disarms(0));
        handler.abandon();
        assertEquals(List.of(), host.failures);
    }

    @Test
    void optionsAndCallback_changeAtRunTime() {
        HandlerOptions wanted = new HandlerOptions("gold", 3);
        assertEquals(HandlerOptions.defaults(), handler.options());
        handler.options(wanted);
        assertSame(wanted, handler.options());
        assertSame(wanted, host.processor.options);
        List<FakeCq> cqs = cqs(1);
        handler.replace(cq -> served.add(-1));
        signal(cqs);
        serveAll();
        assertEquals(List.of(-1), served);
    }

    // A processor that gives no addresses.

    @Test
    void plainProcessor_isSignalledOnce_untilItServes() {
        host.processor.addresses = false;
        RegisteredHandler plain = newHandler(7);
        List<FakeCq> cqs = cqs(3);
        cqs.forEach(cq -> cq.notifier().handler(Optional.of(plain)));
        signal(cqs);
        assertEquals(1, host.processor.work.size());
        assertEquals(1, host.processor.serve());
        assertEquals(List.of(7000), served);
        assertEquals(1, host.processor.work.size(), "there is more");
        serveAll();
        assertEquals(List.of(7000, 7001, 7002), served);
        assertEquals(0, host.processor.work.size());
        plain.options(new HandlerOptions("ignored", 1));
        plain.remove();
    }

    @Test
    void plainProcessor_endsBetweenTwoEvents_theSecondBecomesARequest() {
        host.processor.addresses = false;
        RegisteredHandler plain = newHandler(7);
        List<FakeCq> cqs = cqs(2);
        cqs.forEach(cq -> cq.notifier().handler(Optional.of(plain)));
        signal(cqs);
        host.processor.failing = "signal";
        host.processor.serve();
        assertEquals(List.of(7000), served);
        assertEquals(1, host.failures.size());
        assertTrue(cqs.get(1).notifier().disarms(0));
        assertTrue(cqs.get(1).notifier().dispatch().idle());
    }

    @Test
    void plainAddress_signalFails_theNextOneIsTriedAgain() {
        host.processor.addresses = false;
        PlainAddress address = new PlainAddress(new CqHandlerId(7), host.processor, handler);
        host.processor.failing = "signal";
        assertThrows(AssertionError.class, address::signal);
        host.processor.failing = "";
        address.signal();
        address.signal();
        assertEquals(1, host.processor.work.size());
    }
}
