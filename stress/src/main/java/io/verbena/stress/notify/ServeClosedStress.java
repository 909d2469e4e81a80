package io.verbena.stress.notify;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A processor serves an event while the CQ is closed: the handler runs once or not at all, and no event is left. */
@JCStressTest
@Outcome(
        id = {"0, 1", "1, 1"},
        expect = Expect.ACCEPTABLE,
        desc = "Closed before or after the handler ran.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event is left, or the handler ran after the close.")
@State
public class ServeClosedStress {

    private final NotifiedCq notified = new NotifiedCq();

    /** An event is pending, and no queue pair uses the CQ. */
    public ServeClosedStress() {
        notified.publish();
        notified.leave();
    }

    @Actor
    public void processor() {
        notified.serve();
    }

    @Actor
    public void closer() {
        notified.close();
    }

    /** What ran after the close must not count. */
    @Arbiter
    public void closed(II_Result result) {
        int before = notified.handledSoFar();
        result.r1 = notified.handled();
        result.r2 = before == result.r1 && notified.dispatch().idle() ? 1 : 0;
    }
}
