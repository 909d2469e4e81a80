package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;

import io.verbena.memory.CopyResult;
import io.verbena.memory.EngineEpoch;
import io.verbena.verbs.PageTableKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/** A VMM with an engine, a process, and a pager that works on request. */
final class PagedMemory implements AutoCloseable {

    final Vmm vmm;
    final EngineEpoch engine = new EngineEpoch();
    final Process process;
    final DriverTables driver;
    final PageJob job = new PageJob();
    final MemorySegment buffer = Arena.ofAuto().allocate(64 * PAGE);
    final List<String> troubles = new ArrayList<>();
    int arrivals;
    int changes;

    PagedMemory(int frames, PageTableKind kind, int readAhead) {
        vmm = new Vmm((long) frames * PAGE, PAGE, kind, readAhead);
        vmm.observers().addEngine(engine);
        vmm.observers().onArrival(() -> arrivals++);
        vmm.observers().onTrouble(troubles::add);
        vmm.observers().onChange(() -> changes++);
        process = vmm.newProcess("process", false, Long.MAX_VALUE / 4, Integer.MAX_VALUE);
        driver = new DriverTables(vmm, process);
        driver.openQueuePair();
    }

    Mapping map(FakeStore store) {
        return vmm.mapPageable(process, Vmm.ANY_ID, store, store.content.length);
    }

    AddressRange range() {
        return vmm.range(driver, 0, driver.length());
    }

    /** Does the pager's work until there is none, or nothing gets on; how many jobs there were. */
    int page() {
        int jobs = 0;
        while (jobs < 200 && vmm.pager().take(job)) {
            jobs++;
            vmm.pager().perform(job);
            vmm.pager().finish(job);
        }
        return jobs;
    }

    /** An access in a turn of the engine. */
    CopyResult touch(Mapping mapping, long page, boolean write) {
        engine.enter();
        try {
            long address = mapping.address() + page * PAGE;
            return write ? range().copyIn(address, buffer, 0, 1) : range().copyOut(address, buffer, 0, 1);
        } finally {
            engine.leave();
        }
    }

    /** An access that waits for its page. */
    byte read(Mapping mapping, long page) {
        for (int i = 0; i < 1000; i++) {
            if (touch(mapping, page, false) == CopyResult.DONE) {
                return buffer.get(ValueLayout.JAVA_BYTE, 0);
            }
            page();
        }
        throw new AssertionError("page " + page + " does not come");
    }

    void write(Mapping mapping, long page, int value) {
        buffer.set(ValueLayout.JAVA_BYTE, 0, (byte) value);
        for (int i = 0; touch(mapping, page, true) != CopyResult.DONE; i++) {
            page();
            if (i == 1000) {
                throw new AssertionError("page " + page + " does not come");
            }
        }
    }

    boolean present(Mapping mapping, long page) {
        return vmm.lookUp(process, mapping.address() + page * PAGE).pageValid();
    }

    @Override
    public void close() {
        vmm.close();
    }
}
