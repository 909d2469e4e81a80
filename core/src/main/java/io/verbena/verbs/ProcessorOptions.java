package io.verbena.verbs;

import java.util.Set;

/**
 * What kind of {@link HandlerProcessor} to open.
 *
 * @param name for its threads and for figures
 * @param kind who runs handlers
 * @param cores numbers of the cores that its thread is bound to; empty for any. Linux only; elsewhere, or when the system
 *     refuses, the thread runs unbound and {@link HandlerProcessor#note} says why
 * @param policy which handler is next
 */
public record ProcessorOptions(String name, Kind kind, Set<Integer> cores, ProcessorPolicy policy) {

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
    }

    /** One thread on any core. */
    public static ProcessorOptions thread(String name) {
        return new ProcessorOptions(name, Kind.THREAD, Set.of(), ProcessorPolicy.defaults());
    }

    /** A virtual thread for each service of a handler. */
    public static ProcessorOptions virtualThreads(String name) {
        return new ProcessorOptions(name, Kind.VIRTUAL_THREADS, Set.of(), ProcessorPolicy.defaults());
    }

    /** Bound to a core or a group of cores. */
    public ProcessorOptions withCores(Set<Integer> value) {
        return new ProcessorOptions(name, kind, value, policy);
    }

    public ProcessorOptions withPolicy(ProcessorPolicy value) {
        return new ProcessorOptions(name, kind, cores, value);
    }
}
