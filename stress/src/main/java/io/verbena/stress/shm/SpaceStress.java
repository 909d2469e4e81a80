package io.verbena.stress.shm;

import io.verbena.shm.RacingRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The ring is full. A reader consumes two records, and a writer writes into the space: not before the bytes there have been copied. */
@JCStressTest
@Outcome(id = "1, 1, 0", expect = Expect.ACCEPTABLE, desc = "The writer found no space.")
@Outcome(
        id = "1, 1, 2",
        expect = Expect.ACCEPTABLE,
        desc = "The writer found space, and its record follows all others.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record was overwritten, torn or lost.")
@State
public class SpaceStress {

    private final RacingRing ring = new RacingRing().full();
    private boolean written;

    @Actor
    public void reader(III_Result result) {
        result.r1 = ring.read();
        result.r2 = ring.read();
    }

    @Actor
    public void writer() {
        written = ring.write(2);
    }

    /** The last record of the ring, if the writer found space for one. */
    @Arbiter
    public void rest(III_Result result) {
        ring.readFiller();
        int next = ring.read();
        boolean expected = next == (written ? 2 : 0);
        result.r3 = expected ? next : RacingRing.TORN;
    }
}
