package io.verbena.stress.host;

import io.verbena.host.engine.EngineOwnership;
import io.verbena.host.engine.EngineOwnership.Ring;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A ringer, and the engine thread that lends the engine: it finds the work, or the ringer calls it. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The engine thread found the work.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The ringer called the engine thread.")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: one of them is superfluous.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The doorbell was lost.")
@State
public class LendStress {

    private final EngineOwnership ownership = new EngineOwnership();
    private int work;

    @Actor
    public void engineThread(ZZ_Result result) {
        ownership.lend();
        result.r1 = work == 1;
    }

    @Actor
    public void ringer(ZZ_Result result) {
        work = 1;
        result.r2 = ownership.ring() == Ring.CALL_ENGINE_THREAD;
    }
}
