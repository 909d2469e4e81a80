package io.verbena.verbs;

import java.util.Optional;
import java.util.Set;

/**
 * What runs CQ handlers: a thread bound to cores, virtual threads, or the caller's own loop. Several RNICs and handlers can
 * share one. {@link #open} makes the usual ones; a lambda over an executor of yours is one too.
 */
@FunctionalInterface
public interface HandlerProcessor extends AutoCloseable {

    /**
     * A processor as the options say; close it when the handlers on it are removed.
     *
     * @throws VerbsException when this library has none of that kind
     */
    static HandlerProcessor open(ProcessorOptions options) {
        return ProcessorProvider.first().open(options);
    }

    /**
     * Sees to it that {@code work} runs soon, once. Called by the RNIC's threads: it must return at once. When it throws,
     * the processor is taken for ended, and the event waits until its CQ has a handler elsewhere.
     *
     * @param handler the datum of the signal: which handler it is for, {@link CqHandlerId#NONE} for the RNIC's listeners
     * @param work runs the handler
     */
    void signal(CqHandlerId handler, Runnable work);

    /**
     * Gives a handler an address of its own here, as a device's interrupts have. Called once, when it is registered.
     *
     * @return empty when this processor has none to give: then each event comes by {@link #signal}
     */
    default Optional<EventAddress> attach(CqHandlerId handler, HandlerOptions options, EventSource source) {
        return Optional.empty();
    }

    /** Cores that it is bound to; empty when it runs on any. */
    default Set<Integer> cores() {
        return Set.of();
    }

    /** What its user should know, such as why it is not bound to the cores asked for; empty when all is as asked. */
    default String note() {
        return "";
    }

    /**
     * Ends it: no handler runs on it after this returned, but the one that calls this. Events that wait go back to their
     * CQs.
     */
    @Override
    default void close() {}
}
