package io.verbena.sim.model;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The asynchronous events that one program received, and whether they are correct. */
final class Events {

    /** Each of these reports the end of a connection; there is one reason. */
    private static final Set<AsyncEventType> ENDS = EnumSet.of(
            AsyncEventType.TERMINATE_RECEIVED,
            AsyncEventType.BAD_CLOSE,
            AsyncEventType.CONNECTION_LOST,
            AsyncEventType.CONNECTION_RESET,
            AsyncEventType.MESSAGE_OUT_OF_ORDER,
            AsyncEventType.INVALID_CRC,
            AsyncEventType.QP_REQUEST_ERROR,
            AsyncEventType.QP_ACCESS_ERROR,
            AsyncEventType.QP_FATAL);

    private final Program program;
    private final List<AsyncEvent> reported = new ArrayList<>();

    Events(Program program) {
        this.program = program;
        program.rnic().onAsyncEvent(this::onEvent);
    }

    private void onEvent(AsyncEvent event) {
        program.world().log(() -> program + " event " + event.type() + ": " + event.sentence());
        if (event.sentence().isBlank()) {
            program.fail("event " + event.type() + " has no sentence");
        }
        reported.add(event);
    }

    private long count(Set<AsyncEventType> types, Object subject) {
        return reported.stream()
                .filter(event -> types.contains(event.type()) && event.subject().equals(subject))
                .count();
    }

    /** All connections of the program are over. */
    void settle(List<Cq> cqs, List<Side> sides) {
        for (Cq cq : cqs) {
            long overflows = count(EnumSet.of(AsyncEventType.CQ_OVERFLOW), cq.verbs());
            if (overflows != (cq.verbs().overflowed() ? 1 : 0)) {
                program.fail("a CQ has overflowed: " + cq.verbs().overflowed() + ", and events that reported it: "
                        + overflows);
            }
        }
        for (Side side : sides) {
            long ends = count(ENDS, side.queuePair());
            if (ends > (side.failed() ? 1 : 0)) {
                side.fail(ends + " events reported its end, and it has " + (side.failed() ? "" : "not ") + "failed");
            }
            long closes = count(EnumSet.of(AsyncEventType.CLOSE_COMPLETE), side.queuePair());
            if (closes > (side.failed() ? 0 : 1)) {
                side.fail("a graceful close was reported " + closes + " times");
            }
            long lasts = count(EnumSet.of(AsyncEventType.LAST_WQE_REACHED), side.queuePair());
            boolean expected =
                    side.setUp().stood() && side.options().sharedReceiveQueue().isPresent();
            if (lasts > 1 || expected && lasts == 0) {
                side.fail("its last receive from the shared queue was reported " + lasts + " times");
            }
        }
    }
}
