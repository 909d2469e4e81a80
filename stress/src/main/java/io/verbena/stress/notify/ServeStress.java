package io.verbena.stress.notify;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A processor serves an event while the CQ's handler is taken away and given back: the event is not lost. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The entry was handled.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost.")
@State
public class ServeStress {

    private static final int CHANGES = 8;

    private final NotifiedCq notified = new NotifiedCq();

    /** An event is pending. */
    public ServeStress() {
        notified.publish();
    }

    @Actor
    public void processor() {
        for (int i = 0; i < CHANGES; i++) {
            notified.serve();
        }
    }

    @Actor
    public void modifier() {
        for (int i = 0; i < CHANGES; i++) {
            notified.associateNone();
            notified.associate(notified.first);
        }
    }

    /** Everything has stopped. */
    @Arbiter
    public void handled(I_Result result) {
        result.r1 = notified.handled();
    }
}
