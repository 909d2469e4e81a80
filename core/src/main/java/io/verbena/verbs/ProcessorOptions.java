package io.verbena.verbs;

import java.util.Set;

/**
 * What kind of {@link HandlerProcessor} to open.
 *
 * @param name for its threads and for figures
 * @param kind who runs handlers
 * @param cores numbers of the cores that its thread is bound to; empty for any. Linux only; elsewhere, or when the system
 *     refuses, the thread runs unbound and {@link HandlerProcessor#note} says why
 * @param urgent whether its thread runs as soon as it is woken, before threads that merely compute, as threads do that serve
 *     a device's interrupts: real-time priority on Linux where the system allows it (CAP_SYS_NICE, {@code ulimit -r});
 *     elsewhere the thread is as urgent as it may be and {@link HandlerProcessor#note} says so. For short handlers
 *     only: while one runs, nobody else has that core
 * @param policy which handler is next
 */
public record ProcessorOptions(String name, Kind kind, Set<Integer> cores, boolean urgent, ProcessorPolicy policy) {

    /** Who runs handlers. */
    public enum Kind {
        /** One platform thread, which spins briefly when it has nothing to do, then parks. */
        THREAD,
        /** Virtual threads: handlers may block. No policy: the scheduler of virtual threads decides. */
        VIRTUAL_THREADS
    }

    /** Keeps its own copy of the cores. */
    public ProcessorOptions {
        cores = Set.copyOf(cores);
        for (int core : cores) {
            if (core < 0) {
                throw new IllegalArgumentException("cores are numbered from 0; there is no core " + core);
            }
        }
        if (kind == Kind.VIRTUAL_THREADS && !cores.isEmpty()) {
            throw new IllegalArgumentException("virtual threads cannot be bound to cores; use a thread");
        }
        if (kind == Kind.VIRTUAL_THREADS && urgent) {
            throw new IllegalArgumentException("virtual threads cannot be urgent; use a thread");
        }
    }

    /** One thread on any core. */
    public static ProcessorOptions thread(String name) {
        return new ProcessorOptions(name, Kind.THREAD, Set.of(), false, ProcessorPolicy.defaults());
    }

    /** A virtual thread for each service of a handler. */
    public static ProcessorOptions virtualThreads(String name) {
        return new ProcessorOptions(name, Kind.VIRTUAL_THREADS, Set.of(), false, ProcessorPolicy.defaults());
    }

    /** Bound to a core or a group of cores. */
    public ProcessorOptions withCores(Set<Integer> value) {
        return new ProcessorOptions(name, kind, value, urgent, policy);
    }

    public ProcessorOptions withPolicy(ProcessorPolicy value) {
        return new ProcessorOptions(name, kind, cores, urgent, value);
    }

    /** Its thread before threads that merely compute. */
    public ProcessorOptions madeUrgent() {
        return new ProcessorOptions(name, kind, cores, true, policy);
    }
}
