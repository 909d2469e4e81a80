package io.verbena.stress.base;

import io.verbena.base.DoorbellStack;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A ringer and a listener: work written before a ring is seen, by the listener during the race or after it. Two actors only:
 * jcstress leaves out tests of more actors than the machine has cores.
 */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both pieces of work were seen.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Work was lost, or seen twice.")
@State
public class DoorbellStress {

    private static final class Worker extends DoorbellStack.Bell {
        private int firstWork;
        private int secondWork;
    }

    private final DoorbellStack stack = new DoorbellStack();
    private final Worker worker = new Worker();
    private int seenFirst;
    private int seenSecond;

    /** Writes work and rings, twice: the second ring may find the mark of the first. */
    @Actor
    public void ringer() {
        worker.firstWork = 1;
        stack.ring(worker);
        worker.secondWork = 1;
        stack.ring(worker);
    }

    /** Hears what has been rung by now. */
    @Actor
    public void listener() {
        hear();
    }

    /** Hears the rest. */
    @Arbiter
    public void rest(I_Result result) {
        hear();
        result.r1 = seenFirst + seenSecond;
    }

    private void hear() {
        DoorbellStack.@Nullable Bell bell = stack.takeAll();
        while (bell != null) {
            DoorbellStack.@Nullable Bell next = DoorbellStack.next(bell);
            Worker heard = (Worker) bell;
            seenFirst |= heard.firstWork;
            seenSecond |= heard.secondWork;
            bell = next;
        }
    }
}
