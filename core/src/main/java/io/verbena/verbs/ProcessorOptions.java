package io.verbena.verbs;

import java.util.Set;

/**
 * Attributes of a {@link HandlerProcessor}.
 *
 * @param name name of its threads, also used in figures
 * @param kind kind of the threads that run handlers
 * @param cores numbers of the cores that the thread is bound to; empty for any. Linux only; elsewhere, or if the system
 *     refuses, the thread runs unbound and {@link HandlerProcessor#note} states the reason
 * @param urgent whether the thread preempts threads of normal priority as soon as it is woken, like threads that serve
 *     device interrupts: real-time priority on Linux if the system allows it (CAP_SYS_NICE, {@code ulimit -r}).
 *     Otherwise the thread has the highest priority available and {@link HandlerProcessor#note} states it. For short
 *     handlers only, because no normal thread runs on the core meanwhile
 * @param policy order in which handlers are served
 */
public record ProcessorOptions(String name, Kind kind, Set<Integer> cores, boolean urgent, ProcessorPolicy policy) {

    /** Kind of the threads that run handlers. */
    public enum Kind {
        /** One platform thread, which spins briefly when idle and then parks. */
        THREAD,
        /** Virtual threads. Handlers may block. The policy does not apply; the scheduler of virtual threads decides. */
        VIRTUAL_THREADS
    }

    /** Copies and checks the cores. */
    public ProcessorOptions {
        cores = Set.copyOf(cores);
        for (int core : cores) {
            if (core < 0) {
                throw new IllegalArgumentException("core numbers start at 0; invalid core number " + core);
            }
        }
        if (kind == Kind.VIRTUAL_THREADS && !cores.isEmpty()) {
            throw new IllegalArgumentException("virtual threads cannot be bound to cores; use Kind.THREAD");
        }
        if (kind == Kind.VIRTUAL_THREADS && urgent) {
            throw new IllegalArgumentException("virtual threads cannot be urgent; use Kind.THREAD");
        }
    }

    /** One thread on any core. */
    public static ProcessorOptions thread(String name) {
        return new ProcessorOptions(name, Kind.THREAD, Set.of(), false, ProcessorPolicy.defaults());
    }

    /** One virtual thread per service of a handler. */
    public static ProcessorOptions virtualThreads(String name) {
        return new ProcessorOptions(name, Kind.VIRTUAL_THREADS, Set.of(), false, ProcessorPolicy.defaults());
    }

    /** With a thread that is bound to these cores. */
    public ProcessorOptions withCores(Set<Integer> value) {
        return new ProcessorOptions(name, kind, value, urgent, policy);
    }

    public ProcessorOptions withPolicy(ProcessorPolicy value) {
        return new ProcessorOptions(name, kind, cores, urgent, value);
    }

    /** With a thread that preempts threads of normal priority. */
    public ProcessorOptions asUrgent() {
        return new ProcessorOptions(name, kind, cores, true, policy);
    }
}
