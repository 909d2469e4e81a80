package io.verbena.stress.queue;

import io.verbena.queue.CompletionRing;
import io.verbena.queue.Cqe;
import io.verbena.verbs.CompletionOpcode;
import io.verbena.verbs.CompletionStatus;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * Two entries go through one place of a ring while its poller polls: a poller that sees an entry sees all of it, and it is not
 * overwritten before its place was given back.
 */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "None has come.")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The first has come.")
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both have come.")
@Outcome(expect = Expect.FORBIDDEN, desc = "An entry that was not whole.")
@State
public class PublishStress {

    private static final int TORN = 9;

    private final CompletionRing ring = new CompletionRing(1);
    private final Cqe written = new Cqe();
    private final Cqe read = new Cqe();

    private void write(int id) {
        if (ring.claim(written)) {
            written.fill(id, CompletionStatus.PROTOCOL, CompletionOpcode.RECEIVE, id + 1, id + 2)
                    .immediate(id + 3)
                    .invalidatedKey(id + 4);
            ring.publish(0);
        }
    }

    @Actor
    public void engine() {
        write(100);
        write(200);
    }

    @Actor
    public void poller(I_Result result) {
        long before = 0;
        for (int i = 0; i < 2; i++) {
            if (ring.peek(read)) {
                result.r1 = whole() && read.wrId() > before ? result.r1 + 1 : TORN;
                before = read.wrId();
                ring.release();
            }
        }
    }

    private boolean whole() {
        long id = read.wrId();
        return read.byteCount() == id + 2
                && read.queuePairNumber() == id + 1
                && read.hasImmediate()
                && read.immediate() == id + 3
                && read.invalidatedKey() == id + 4
                && read.status() == CompletionStatus.PROTOCOL;
    }
}
