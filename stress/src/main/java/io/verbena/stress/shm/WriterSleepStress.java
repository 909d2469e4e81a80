package io.verbena.stress.shm;

import io.verbena.shm.RacingRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A reader that consumes a full ring, and a writer that falls asleep: it finds the space, or the reader wakes it. */
@JCStressTest
@Outcome(id = "true, false", expect = Expect.ACCEPTABLE, desc = "The writer found the space.")
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The reader wakes the writer.")
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both: one of them is superfluous.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The wake-up was lost.")
@State
public class WriterSleepStress {

    private final RacingRing ring = new RacingRing().full();

    @Actor
    public void writer(ZZ_Result result) {
        result.r1 = ring.sleepForSpace();
    }

    @Actor
    public void reader(ZZ_Result result) {
        ring.read();
        ring.read();
        ring.readFiller();
        result.r2 = ring.takeWriter();
    }
}
