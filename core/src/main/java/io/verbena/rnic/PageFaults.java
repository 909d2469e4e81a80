package io.verbena.rnic;

import io.verbena.base.Log;
import io.verbena.memory.vmm.Process;
import io.verbena.memory.vmm.UnmappedAccesses;
import io.verbena.notify.SerialRunner;
import io.verbena.verbs.PageFault;
import io.verbena.verbs.PageFaultHandler;
import java.util.Optional;

/**
 * Passes page faults of one process to its default error handler and its decision back to the engines. The handler runs
 * as a listener, never on an engine.
 */
final class PageFaults {

    private final RnicContext context;
    private final Process process;
    private final SoftAddressSpace space;
    private final SerialRunner runner;
    private volatile Optional<PageFaultHandler> handler = Optional.empty();

    PageFaults(RnicContext context, Process process, SoftAddressSpace space) {
        this.context = context;
        this.process = process;
        this.space = space;
        runner = new SerialRunner(context.environment().listenerProcessor());
        context.pageFaultHandler().ifPresent(this::handler);
    }

    void handler(PageFaultHandler newHandler) {
        handler = Optional.of(newHandler);
        process.unmapped().handler(access -> runner.add(() -> ask(access)));
    }

    void defaultHandler(PageFaultHandler newHandler) {
        if (handler.isEmpty()) {
            handler(newHandler);
        }
    }

    private void ask(UnmappedAccesses.Access access) {
        PageFault fault = access.fault();
        context.events().raise(fault, space, "A page fault: " + SoftAddressSpace.describe(fault) + ".");
        PageFaultHandler.Answer answer = PageFaultHandler.Answer.REFUSED;
        try {
            answer = handler.orElseThrow().onPageFault(fault);
        } catch (Throwable e) {
            Log.callback("The page fault handler", e);
        } finally {
            process.unmapped().answer(access, answer);
            for (int i = 0; i < context.engines().size(); i++) {
                context.engines().get(i).memoryCame();
            }
        }
    }
}
