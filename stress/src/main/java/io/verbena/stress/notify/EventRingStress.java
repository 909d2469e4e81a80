package io.verbena.stress.notify;

import io.verbena.notify.EventRing;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two threads each put one record and take one: every record is taken once, with the values that were put. */
@JCStressTest
@Outcome(id = "7, 9, 0", expect = Expect.ACCEPTABLE, desc = "Both records, once each.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A record was lost, torn or taken twice.")
@State
public class EventRingStress {

    private static final class Record implements EventRing.Subject {
        private volatile int reported;
        private volatile int often;

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // taken twice at once would be the bug
        public void onTaken(int datum, int cause, long signalledNs) {
            often++;
            reported = datum == cause && cause == signalledNs ? datum : -1;
        }
    }

    private final EventRing ring = new EventRing(2);
    private final Record seven = new Record();
    private final Record nine = new Record();

    /** Puts one, takes one. */
    @Actor
    public void first() {
        ring.offer(seven, 7, 7, 7);
        ring.poll();
    }

    /** The same from another thread. */
    @Actor
    public void second() {
        ring.offer(nine, 9, 9, 9);
        ring.poll();
    }

    /** Takes what is left: a record that was being written when an actor polled. */
    @Arbiter
    public void rest(III_Result result) {
        while (ring.poll() != null) {
            // reported to its subject
        }
        result.r1 = seven.reported;
        result.r2 = nine.reported;
        result.r3 = seven.often + nine.often - 2;
    }
}
