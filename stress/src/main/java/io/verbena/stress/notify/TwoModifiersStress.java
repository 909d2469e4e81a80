package io.verbena.stress.notify;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** One removes the CQ's handler while another thread associates the next one: it stays, and is notified. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The entry was handled.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A wake-up was lost.")
@State
public class TwoModifiersStress {

    private final NotifiedCq notified = new NotifiedCq();

    /** An event is pending. */
    public TwoModifiersStress() {
        notified.publish();
    }

    @Actor
    public void remover() {
        notified.remove(notified.first);
    }

    @Actor
    public void modifier() {
        notified.associate(notified.second);
    }

    /** Everything has stopped. */
    @Arbiter
    public void handled(I_Result result) {
        result.r1 = notified.handled();
    }
}
