package io.verbena.stress.shm;

import io.verbena.shm.RacingRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A writer that publishes a record, and a reader that falls asleep: it finds the record, or the writer wakes it. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The reader found the record.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The writer wakes the reader.")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: one of them is superfluous.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The wake-up was lost.")
@State
public class ReaderSleepStress {

    private final RacingRing ring = new RacingRing();

    @Actor
    public void reader(ZZ_Result result) {
        result.r1 = ring.sleepForBytes();
    }

    @Actor
    public void writer(ZZ_Result result) {
        ring.write(1);
        result.r2 = ring.takeReader();
    }
}
