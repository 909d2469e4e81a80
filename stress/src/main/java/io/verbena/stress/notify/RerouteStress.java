package io.verbena.stress.notify;

import io.verbena.fixture.SteppedProcessor;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * An engine writes records of two CQs into the ring of one handler, while one of the CQs is given a handler on another
 * processor: its event reaches that one although the first processor serves nothing any more.
 */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Both entries were handled, each where its CQ belongs.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An event stayed with a processor that does not serve it.")
@State
public class RerouteStress {

    private final SteppedProcessor stuck = new SteppedProcessor();
    private final NotifiedCq stays = new NotifiedCq(stuck);
    private final NotifiedCq moves = new NotifiedCq(new SteppedProcessor());

    /** Both on the first handler of the stuck processor. */
    public RerouteStress() {
        moves.associate(stays.first);
    }

    @Actor
    public void engine() {
        stays.publish();
        moves.publish();
    }

    @Actor
    public void modifier() {
        moves.associate(moves.first);
    }

    /** The processor that is not stuck serves first. */
    @Arbiter
    public void handled(II_Result result) {
        result.r2 = moves.handled();
        result.r1 = stays.handled();
    }
}
