package io.verbena.rnic.memory;

import io.verbena.base.Log;
import io.verbena.memory.vmm.Process;
import io.verbena.memory.vmm.UnmappedAccesses;
import io.verbena.notify.SerialRunner;
import io.verbena.rnic.context.RnicContext;
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
    private final Object source;
    private final SerialRunner runner;
    private volatile Optional<PageFaultHandler> handler = Optional.empty();

    /** Page faults of a process; {@code source} is what their events are about. */
    PageFaults(RnicContext context, Process process, Object source) {
        this.context = context;
        this.process = process;
        this.source = source;
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
        context.events().raise(fault, source, "A page fault: " + describe(fault) + ".");
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

    /** Describes the access that faulted, for messages. */
    private static String describe(PageFault fault) {
        return String.format(
                "%d bytes at effective address 0x%x are not mapped and were to be %s",
                fault.length(), fault.address(), fault.write() ? "written" : "read");
    }
}
