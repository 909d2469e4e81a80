package io.verbena.stress.base;

import io.verbena.base.DoorbellStack;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Two ringers with a bell each push at the same time: both bells are in the stack, once. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Each bell was heard once.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A bell was lost, or heard twice.")
@State
public class TwoBellsStress {

    private static final class Worker extends DoorbellStack.Bell {
        private int work;
        private int heard;
    }

    private final DoorbellStack stack = new DoorbellStack();
    private final Worker first = new Worker();
    private final Worker second = new Worker();

    /** Writes work and rings. */
    @Actor
    public void firstRinger() {
        first.work = 1;
        stack.ring(first);
    }

    /** The same with the other bell. */
    @Actor
    public void secondRinger() {
        second.work = 1;
        stack.ring(second);
    }

    /** Hears all. */
    @Arbiter
    public void listener(II_Result result) {
        DoorbellStack.@Nullable Bell bell = stack.takeAll();
        while (bell != null) {
            DoorbellStack.@Nullable Bell next = DoorbellStack.next(bell);
            Worker rung = (Worker) bell;
            rung.heard += rung.work;
            bell = next;
        }
        result.r1 = first.heard;
        result.r2 = second.heard;
    }
}
