package io.verbena.stress.queue;

import io.verbena.queue.WorkQueue;
import io.verbena.queue.Wqe;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two work requests go through one slot while the engine works: it sees each whole, and no slot is used again too early. */
@JCStressTest
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "None has come.")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "The first has come.")
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "Both have come.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Work that was not whole.")
@State
public class PostStress {

    private static final int TORN = 9;

    private final WorkQueue queue = new WorkQueue(1, Wqe.strideBytes(1, 0));
    private final Wqe written = new Wqe();
    private final Wqe read = new Wqe();

    private void post(int id) {
        if (queue.claim(written)) {
            written.clear(WorkOpcode.WRITE, WrFlags.SIGNALLED)
                    .wrId(id)
                    .remoteAddress(id + 1)
                    .rkey(id + 2)
                    .addElement(id + 3, id + 4, id + 5);
            queue.written();
            queue.publish();
        }
    }

    @Actor
    public void poster() {
        post(100);
        post(200);
    }

    @Actor
    public void engine(I_Result result) {
        for (int i = 0; i < 2; i++) {
            if (queue.retired() < queue.posted()) {
                queue.at(queue.retired(), read);
                result.r1 = whole() ? result.r1 + 1 : TORN;
                queue.retire();
            }
        }
    }

    private boolean whole() {
        long id = read.wrId();
        return read.opcode() == WorkOpcode.WRITE
                && read.remoteAddress() == id + 1
                && read.rkey() == id + 2
                && read.elementKey(0) == id + 3
                && read.elementOffset(0) == id + 4
                && read.elementLength(0) == id + 5
                && read.length() == id + 5;
    }
}
