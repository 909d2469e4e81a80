package io.verbena.stress.memory;

import io.verbena.memory.EngineEpoch;
import io.verbena.memory.Revocation;
import java.util.List;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Memory is revoked while an engine may use it. If the revoker finds the engine outside, it reuses the memory, and the engine must not touch it. */
@JCStressTest
@Outcome(
        id = "0, 1",
        expect = Expect.ACCEPTABLE,
        desc = "The engine was inside, so the revoker waited; or the engine entered later.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Anything else.")
@State
public class EpochStress extends KeyRace {

    private final EngineEpoch epoch = new EngineEpoch();
    private volatile boolean givenAway;

    public EpochStress() {
        super(false, true);
    }

    /** A turn of an engine: what it has checked it may use to the end of the turn. */
    @Actor
    public void engine(II_Result result) {
        epoch.enter();
        if (access(check, 7, 1) >= 0 && givenAway) {
            result.r1 = 1;
        }
        epoch.leave();
    }

    /** Unmaps: publishes, waits, gives it away. */
    @Actor
    public void process() {
        keys.unbind(key);
        Revocation revocation = Revocation.begin(List.of(epoch));
        while (!revocation.settled()) {
            Thread.onSpinWait();
        }
        givenAway = true;
    }

    /** It was given away in any case. */
    @Arbiter
    public void after(II_Result result) {
        result.r2 = givenAway ? 1 : 0;
        end();
    }
}
