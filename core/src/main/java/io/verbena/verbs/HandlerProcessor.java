package io.verbena.verbs;

import java.util.Optional;
import java.util.Set;

/**
 * Runs CQ handlers: a thread bound to cores, virtual threads, or a loop of the application. Several RNICs and handlers
 * can share a processor. {@link #open} creates the usual kinds; a lambda over an executor is a processor too. Any
 * thread may call any method.
 */
@FunctionalInterface
public interface HandlerProcessor extends AutoCloseable {

    /**
     * Opens a processor. Close it after its handlers have been removed.
     *
     * @throws VerbsException if the library has no processor of this kind
     */
    static HandlerProcessor open(ProcessorOptions options) {
        return ProcessorProvider.first().open(options);
    }

    /**
     * Arranges that {@code work} runs soon, once. Called by threads of the RNIC, so it must return at once: an engine that
     * waits for it serves no queue pair, and over RoCE the first engine receives the packets of all. If it throws, the processor is considered to have ended, and the event remains pending until its CQ has a handler on
     * another processor.
     *
     * @param handler identification of the handler that the signal is for; {@link CqHandlerId#NONE} for the listeners
     *     of the RNIC
     * @param work runs the handler
     */
    void signal(CqHandlerId handler, Runnable work);

    /**
     * Gives a handler an address of its own on this processor, as interrupts of a device have. Called once, when the
     * handler is registered.
     *
     * @return empty if this processor has no such addresses; each event is then passed to {@link #signal}
     */
    default Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
        return Optional.empty();
    }

    /** The cores that the processor is bound to; empty if it runs on any core. */
    default Set<Integer> cores() {
        return Set.of();
    }

    /**
     * A note for the user, such as why the processor is not bound to the requested cores; empty if everything is as
     * requested.
     */
    default String note() {
        return "";
    }

    /**
     * Ends the processor. After the return no handler runs on it, except a handler that called this method itself.
     * Pending events return to their CQs.
     */
    @Override
    default void close() {}
}
