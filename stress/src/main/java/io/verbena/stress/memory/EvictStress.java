package io.verbena.stress.memory;

import io.verbena.memory.CopyResult;
import io.verbena.memory.EngineEpoch;
import io.verbena.memory.vmm.AddressRange;
import io.verbena.memory.vmm.DriverTables;
import io.verbena.memory.vmm.Mapping;
import io.verbena.memory.vmm.PageJob;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Process;
import io.verbena.memory.vmm.Removal;
import io.verbena.memory.vmm.Vmm;
import io.verbena.verbs.PageTableKind;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A page leaves its frame, and another page gets the frame, while an engine copies the first: the engine reads all of the first page or
 * has to wait, and never reads a byte of the other.
 */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "All of the page.")
@Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "The page had left.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Bytes of the page that replaced it in the frame.")
@State
public class EvictStress {

    private static final int PAGE = 512;
    private static final int FRAMES = 8;

    private final Vmm vmm = new Vmm(FRAMES * PAGE, PAGE, PageTableKind.SHARED, 0);
    private final Removal removal = new Removal(vmm);
    private final EngineEpoch epoch = new EngineEpoch();
    private final MemorySegment copy = MemorySegment.ofArray(new byte[PAGE]);
    private final PageJob job = new PageJob();
    private final Mapping mapping;
    private final AddressRange range;

    public EvictStress() {
        vmm.observers().addEngine(epoch);
        Process process = vmm.newProcess("process", false, 1 << 20, FRAMES);
        DriverTables driver = new DriverTables(vmm, process);
        driver.openQueuePair();
        mapping = vmm.mapPageable(process, Vmm.ANY_ID, new Numbered(), 2 * PAGE);
        range = vmm.range(driver, mapping.address(), 2 * PAGE);
        range.copyOut(0, copy, 0, PAGE);
        bringIn();
    }

    private void bringIn() {
        while (vmm.pager().take(job)) {
            vmm.pager().perform(job);
            vmm.pager().finish(job);
        }
    }

    /** A turn of an engine. */
    @Actor
    public void engine(I_Result result) {
        epoch.enter();
        if (range.copyOut(0, copy, 0, PAGE) == CopyResult.DONE) {
            int seen = 0;
            for (int i = 0; i < PAGE; i++) {
                seen |= copy.get(ValueLayout.JAVA_BYTE, i);
            }
            result.r1 = seen;
        }
        epoch.leave();
    }

    /** Takes the page out. The frame that was freed last is used first. */
    @Actor
    public void pager() {
        try {
            removal.swapOut(mapping, 0, PAGE, Thread::onSpinWait);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        range.copyOut(PAGE, MemorySegment.NULL, 0, 1);
        bringIn();
    }

    /** Gives the frames back. */
    @Arbiter
    public void after(I_Result result) {
        vmm.close();
    }

    /** Page 0 is full of 1, page 1 of 2. */
    private static final class Numbered implements PageStore {

        @Override
        public void read(long offset, ByteBuffer page) {
            while (page.hasRemaining()) {
                page.put((byte) (1 + offset / PAGE));
            }
        }

        @Override
        public void write(long offset, ByteBuffer page) {}

        @Override
        public boolean writable() {
            return true;
        }

        @Override
        public boolean direct() {
            return false;
        }

        @Override
        public String name() {
            return "numbers";
        }

        @Override
        public void resize(long bytes) {}

        @Override
        public void close() {}
    }
}
