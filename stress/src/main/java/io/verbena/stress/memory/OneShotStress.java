package io.verbena.stress.memory;

import io.verbena.memory.AccessCheck;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Messages of two queue pairs use a one-shot key at the same time: exactly one of them gets it. */
@JCStressTest
@Outcome(id = "100, -1", expect = Expect.ACCEPTABLE, desc = "The first has it.")
@Outcome(id = "-1, 100", expect = Expect.ACCEPTABLE, desc = "The second has it.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Anything else.")
@State
public class OneShotStress extends KeyRace {

    private final AccessCheck other = new AccessCheck();

    public OneShotStress() {
        super(true, true);
    }

    /** A message of one queue pair. */
    @Actor
    public void one(II_Result result) {
        result.r1 = access(check, 7, 1L << 40 | 1);
    }

    /** A message of the other. */
    @Actor
    public void another(II_Result result) {
        result.r2 = access(other, 8, 2L << 40 | 1);
    }

    /** Gives the key back. */
    @Arbiter
    public void after(II_Result result) {
        end();
    }
}
