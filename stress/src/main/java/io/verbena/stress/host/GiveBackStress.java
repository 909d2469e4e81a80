package io.verbena.stress.host;

import io.verbena.host.engine.EngineOwnership;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A borrower that leaves, and the engine thread that begins to rest: it sees the free engine, or the borrower wakes it. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "It rests, and the borrower wakes it.")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "It has seen that the borrower left.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "It has seen that, and is woken as well.")
@Outcome(expect = Expect.FORBIDDEN, desc = "It rests, and no thread drives the engine.")
@State
public class GiveBackStress {

    private final EngineOwnership ownership = new EngineOwnership();

    /** Borrowed. */
    public GiveBackStress() {
        ownership.lend();
        ownership.borrow();
    }

    @Actor
    public void engineThread(ZZ_Result result) {
        result.r1 = ownership.rest();
    }

    @Actor
    public void borrower(ZZ_Result result) {
        ownership.giveBack();
        result.r2 = ownership.endRest();
    }
}
