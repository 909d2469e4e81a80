package io.verbena.host.processor;

import io.verbena.verbs.HandlerLoop;
import io.verbena.verbs.HandlerProcessor;
import io.verbena.verbs.ProcessorOptions;
import io.verbena.verbs.ProcessorPolicy;
import io.verbena.verbs.ProcessorProvider;

/** Handler processors of this machine. */
public final class HostProcessors implements ProcessorProvider {

    /** For {@link java.util.ServiceLoader}. */
    public HostProcessors() {}

    @Override
    public HandlerProcessor open(ProcessorOptions options) {
        return switch (options.kind()) {
            case THREAD -> new ProcessorThread(options);
            case VIRTUAL_THREADS -> ExecutorProcessor.ofVirtualThreads(options.name());
        };
    }

    @Override
    public HandlerLoop openLoop(ProcessorPolicy policy) {
        return new LoopProcessor(policy);
    }
}
