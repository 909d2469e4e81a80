package io.verbena.stress.base;

import io.verbena.base.GrantedMemory;
import io.verbena.base.SharedGrants;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A grant is revoked while its peer begins to access the memory: at least one of them sees the store of the other. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "The peer is inside, and the owner waits for it.")
@Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "The peer came too late.")
@Outcome(
        id = "0, 0",
        expect = Expect.ACCEPTABLE,
        desc = "The peer came too late, and the owner waits until it has found that out.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The peer is inside, and the owner does not wait for it.")
@State
public class GrantStress {

    private static final int KEY = 7;

    private final MemorySegment page = MemorySegment.ofArray(new long[SharedGrants.PAGE_BYTES / Long.BYTES]);
    private final SharedGrants grants = new SharedGrants(page, () -> 0);
    private final GrantedMemory memory;

    public GrantStress() {
        grants.open(KEY, () -> {});
        SharedGrants.Issued issued = grants.issue(KEY, SharedGrants.NONE).orElseThrow();
        memory = new GrantedMemory(page, page, new GrantedMemory.Terms(KEY, 0, -1, issued.slot(), issued.number()));
    }

    /** Begins a copy that does not end. */
    @Actor
    public void peer(II_Result result) {
        result.r1 = memory.enter() ? 1 : 0;
    }

    /** Revokes. */
    @Actor
    public void owner(II_Result result) {
        grants.revoke();
        result.r2 = grants.settled() ? 1 : 0;
    }
}
