package io.verbena.stress.memory;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * A key is unbound while it is checked, then bound anew with a fresh value: the old value opens what it did, or nothing; and nothing in
 * the end.
 */
@JCStressTest
@Outcome(id = "100, -1", expect = Expect.ACCEPTABLE, desc = "Before.")
@Outcome(id = "-1, -1", expect = Expect.ACCEPTABLE, desc = "After.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Anything else.")
@State
public class UnbindStress extends KeyRace {

    public UnbindStress() {
        super(false, true);
    }

    /** An engine that checks an access. */
    @Actor
    public void engine(II_Result result) {
        result.r1 = access(check, 7, 1);
    }

    /** The process that unbinds, and binds anew. */
    @Actor
    public void process() {
        keys.unbind(key);
        bind(keys.promise(key, 0, 0, LENGTH), NEW);
    }

    /** What the old value opens in the end. */
    @Arbiter
    public void after(II_Result result) {
        result.r2 = access(check, 7, 1);
        end();
    }
}
