package io.verbena.stress.host;

import io.verbena.host.engine.EngineOwnership;
import io.verbena.host.engine.EngineOwnership.Ring;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A ringer, and a borrower that takes the free engine and falls asleep: it finds the work, or the ringer wakes someone. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The borrower found the work.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The ringer woke the borrower.")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: one of them is superfluous.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The doorbell was lost.")
@State
public class BorrowerSleepStress {

    private final EngineOwnership ownership = new EngineOwnership();
    private int work;

    /** The engine thread stands aside. */
    public BorrowerSleepStress() {
        ownership.lend();
    }

    @Actor
    public void borrower(ZZ_Result result) {
        boolean borrowed = ownership.borrow();
        ownership.fallAsleep();
        result.r1 = borrowed && work == 1;
    }

    @Actor
    public void ringer(ZZ_Result result) {
        work = 1;
        result.r2 = ownership.ring() != Ring.NOTHING;
    }
}
