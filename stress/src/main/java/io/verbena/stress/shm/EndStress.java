package io.verbena.stress.shm;

import io.verbena.shm.RacingRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** A writer writes, states how its death is to be read, and ends. A reader that sees one of these sees all before it. */
@JCStressTest
@Outcome(id = "false, false, [01]", expect = Expect.ACCEPTABLE, desc = "Nothing is stated yet.")
@Outcome(id = "false, true, 1", expect = Expect.ACCEPTABLE, desc = "It has stated how its death is to be read.")
@Outcome(id = "true, true, 1", expect = Expect.ACCEPTABLE, desc = "It has ended.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The end overtook what was written before.")
@State
public class EndStress {

    private final RacingRing ring = new RacingRing();

    @Actor
    public void writer() {
        ring.write(1);
        ring.killed();
        ring.end();
    }

    @Actor
    public void reader(ZZI_Result result) {
        result.r1 = ring.seesEnd();
        result.r2 = ring.seesKilled();
        result.r3 = ring.read();
    }
}
