package io.verbena.stress.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A key is deallocated while it is checked: it opens what it did, or nothing; and nothing in the end. */
@JCStressTest
@Outcome(id = "100, -1", expect = Expect.ACCEPTABLE, desc = "Before.")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "After.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Anything else.")
@State
public class DeallocateStress extends KeyRace {

    public DeallocateStress() {
        super(false, true);
    }

    /** An engine that checks an access. */
    @Actor
    public void engine(II_Result result) {
        result.r1 = access(check, 7, 1);
    }

    /** The process that gives the key back. */
    @Actor
    public void process() {
        keys.deallocate(key);
    }

    /** What its value opens in the end. */
    @Arbiter
    public void after(II_Result result) {
        result.r2 = access(check, 7, 1);
        end();
    }
}
