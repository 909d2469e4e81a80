package io.verbena.stress.notify;

import io.verbena.fixture.SteppedProcessor;
import io.verbena.verbs.CqHandlerId;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * The ring of one handler holds the record of a CQ after a record that another engine still writes. The CQ is given a handler
 * on another processor: its event reaches that one although the first processor serves nothing any more.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The entry was handled where its CQ belongs.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event stayed with a processor that does not serve it.")
@State
public class RerouteWriterStress {

    private final NotifiedCq stays = new NotifiedCq(new SteppedProcessor());
    private final NotifiedCq moves = new NotifiedCq(new SteppedProcessor());
    private final long claimed;

    /** One engine has claimed a record and lost its core; the other has written the next one. */
    public RerouteWriterStress() {
        moves.associate(stays.first);
        claimed = stays.first.ring().claim();
        moves.publish();
    }

    @Actor
    public void writer() {
        stays.first.ring().write(claimed, stays.dispatch(), CqHandlerId.NONE.value(), 0, 0);
    }

    @Actor
    public void modifier() {
        moves.associate(moves.first);
    }

    /** Only the processor that the CQ has now serves. */
    @Arbiter
    public void handled(I_Result result) {
        result.r1 = moves.handled();
    }
}
