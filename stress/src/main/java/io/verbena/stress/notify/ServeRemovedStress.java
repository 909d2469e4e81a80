package io.verbena.stress.notify;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A processor serves an event while the handler is removed and another one associated: the event is not lost. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The entry was handled.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost.")
@State
public class ServeRemovedStress {

    private final NotifiedCq notified = new NotifiedCq();

    /** An event is pending. */
    public ServeRemovedStress() {
        notified.publish();
    }

    @Actor
    public void processor() {
        notified.serve();
    }

    @Actor
    public void modifier() {
        notified.remove(notified.first);
        notified.associate(notified.second);
    }

    /** Everything has stopped. */
    @Arbiter
    public void handled(I_Result result) {
        result.r1 = notified.handled();
    }
}
