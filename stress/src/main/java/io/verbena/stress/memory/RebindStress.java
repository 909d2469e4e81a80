package io.verbena.stress.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A key that keeps its value is bound to another range while it is checked: the old range, nothing, or the new one, and never a mixture. */
@JCStressTest
@Outcome(id = "100, 500", expect = Expect.ACCEPTABLE, desc = "Before.")
@Outcome(id = "-1, 500", expect = Expect.ACCEPTABLE, desc = "In between.")
@Outcome(id = "500, 500", expect = Expect.ACCEPTABLE, desc = "After.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Anything else.")
@State
public class RebindStress extends KeyRace {

    public RebindStress() {
        super(false, false);
    }

    /** An engine that checks an access. */
    @Actor
    public void engine(II_Result result) {
        result.r1 = access(check, 7, 1);
    }

    /** The process that binds. */
    @Actor
    public void process() {
        bind(keys.promise(key, 0, 0, LENGTH), NEW);
    }

    /** What holds in the end. */
    @Arbiter
    public void after(II_Result result) {
        result.r2 = access(check, 7, 1);
        end();
    }
}
