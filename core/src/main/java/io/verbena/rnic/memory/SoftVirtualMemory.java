package io.verbena.rnic.memory;

import io.verbena.base.WaitPoint;
import io.verbena.engine.RnicEngine;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.memory.vmm.ProgramAccess;
import io.verbena.memory.vmm.Removal;
import io.verbena.memory.vmm.Vmm;
import io.verbena.rnic.context.Closing;
import io.verbena.rnic.context.RnicContext;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.AddressSpaceOptions;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryFigures;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The virtual memory manager as seen by the application. Waiting is implemented here, decisions in {@link Vmm}. */
public final class SoftVirtualMemory implements VirtualMemory {

    /** Maximum time that a program waits for a page of its own memory. */
    private static final long PAGE_NS = 60_000_000_000L;

    private static final long LOOK_NS = 10_000_000L;

    private final RnicContext context;
    private final int number;
    private final VirtualMemoryOptions options;
    private final Vmm vmm;
    private final Removal removal;
    private final ProgramAccess program;
    private final PagingHost host;
    private final PagingHost.Driver driver;
    private final WaitPoint changed;
    private final AtomicLong changes = new AtomicLong();
    private final Set<SoftAddressSpace> spaces = ConcurrentHashMap.newKeySet();
    private final Closing closing = new Closing();

    /** The last failure to write a page back. Accessed by the thread that closes the memory. */
    private Optional<IOException> failure = Optional.empty();

    public SoftVirtualMemory(RnicContext context, VirtualMemoryOptions options, int number) {
        this.number = number;
        this.context = context;
        this.options = options;
        host = context.environment().paging();
        vmm = new Vmm(options.frameBytes(), options.pageBytes(), options.tables(), options.readAheadPages());
        removal = new Removal(vmm);
        program = new ProgramAccess(vmm);
        changed = context.environment().newWaitPoint();
        for (int i = 0; i < context.engines().size(); i++) {
            RnicEngine engine = context.engines().get(i);
            vmm.observers().addEngine(engine.epoch());
            vmm.observers().onArrival(engine::memoryCame);
        }
        vmm.observers()
                .onTrouble(sentence -> context.events()
                        .raise(AsyncEventType.REGION_LOST, this, "Pages could not be moved: " + sentence + "."));
        vmm.observers().onChange(() -> {
            changes.incrementAndGet();
            changed.signal();
        });
        driver = host.drive(vmm.pager(), options.pagers());
    }

    public RnicContext context() {
        return context;
    }

    public Vmm vmm() {
        return vmm;
    }

    /** Evicts the pages that are to be removed. */
    Removal removal() {
        return removal;
    }

    ProgramAccess program() {
        return program;
    }

    PagingHost host() {
        return host;
    }

    void checkOpen() {
        context.checkOpen();
        if (closing.begun()) {
            throw new IllegalStateException("the virtual memory is closed");
        }
    }

    /** One attempt at an operation that may require missing pages. */
    interface Attempt {

        /** Whether the operation is complete; false while pages are being fetched. */
        boolean done() throws IOException;
    }

    /** Retries the operation as pages arrive. */
    void until(Attempt attempt) throws IOException {
        long deadlineNs = context.environment().nowNs() + PAGE_NS;
        while (true) {
            long seen = changes.get();
            if (attempt.done()) {
                return;
            }
            if (context.environment().nowNs() - deadlineNs >= 0 || context.stopped()) {
                throw new IOException("a page did not arrive within " + PAGE_NS / 1_000_000_000L + " seconds");
            }
            context.await(changed, () -> changes.get() != seen, LOOK_NS);
        }
    }

    /** Waits for a short time for engines or pagers. */
    void pause() {
        long seen = changes.get();
        context.await(changed, () -> changes.get() != seen, LOOK_NS / 10);
    }

    @Override
    public AddressSpace createAddressSpace(AddressSpaceOptions requested) {
        checkOpen();
        SoftAddressSpace softAddressSpace = new SoftAddressSpace(this, requested);
        spaces.add(softAddressSpace);
        return softAddressSpace;
    }

    void spaceClosed(SoftAddressSpace space) {
        spaces.remove(space);
    }

    @Override
    public List<AddressSpace> addressSpaces() {
        return List.copyOf(spaces);
    }

    @Override
    public VirtualMemoryOptions options() {
        return options;
    }

    /** Its number among those of its RNIC, from 1. */
    public int number() {
        return number;
    }

    @Override
    public VirtualMemoryFigures figures() {
        return vmm.figures();
    }

    @Override
    public void close() {
        if (closing.close(context, () -> {}, this::release) && failure.isPresent()) {
            IOException cause = failure.get();
            throw new VerbsException("Some modified pages could not be written: " + cause.getMessage(), cause);
        }
    }

    private void release() {
        for (SoftAddressSpace space : spaces) {
            try {
                space.close();
            } catch (IOException e) {
                failure = Optional.of(e);
            }
        }
        driver.close();
        for (int i = 0; i < context.engines().size(); i++) {
            vmm.observers().removeEngine(context.engines().get(i).epoch());
        }
        vmm.close();
        context.forget(this);
    }
}
