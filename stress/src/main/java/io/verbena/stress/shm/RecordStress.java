package io.verbena.stress.shm;

import io.verbena.shm.RacingRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A writer publishes two records, and a reader looks twice: it reads them whole and in order. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "Neither is there yet.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The second look finds the first record.")
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The first record only.")
@Outcome(id = "1, 2", expect = Expect.ACCEPTABLE, desc = "Both.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record was torn, or the first one was passed.")
@State
public class RecordStress {

    private final RacingRing ring = new RacingRing();

    @Actor
    public void writer() {
        ring.write(1);
        ring.write(2);
    }

    @Actor
    public void reader(II_Result result) {
        result.r1 = ring.read();
        result.r2 = ring.read();
    }
}
