package io.verbena.proofs.spark.shuffle;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.EnumMap;
import java.util.Map;

/** Where the processor time of an executor goes, by the names of its threads. */
enum Stations {
    /** The engine of the RNIC. */
    ENGINE,
    /** Carriers of virtual threads, which run the handlers of the shuffle. */
    HANDLERS,
    /** Event loops of Netty for blocks. */
    BLOCKS,
    /** Those for calls of Spark, and its dispatchers. */
    CALLS,
    /** Tasks of Spark. */
    TASKS,
    /** Other threads that Java sees: compilers and collectors are none of them. */
    OTHERS;

    /** Processor time of the threads of this JVM so far, in nanoseconds. */
    static Map<Stations, Long> here() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        Map<Stations, Long> all = new EnumMap<>(Stations.class);
        for (ThreadInfo each : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (each != null) {
                long ns = Math.max(0, threads.getThreadCpuTime(each.getThreadId()));
                all.merge(of(each.getThreadName()), ns, Long::sum);
            }
        }
        return all;
    }

    private static Stations of(String name) {
        if (name.startsWith("verbena-") && name.contains("-engine-")) {
            return ENGINE;
        }
        if (name.startsWith("ForkJoinPool") || name.startsWith("verbena-")) {
            return HANDLERS;
        }
        if (name.startsWith("shuffle-")) {
            return BLOCKS;
        }
        if (name.startsWith("rpc-") || name.startsWith("netty-rpc") || name.startsWith("dispatcher")) {
            return CALLS;
        }
        return name.startsWith("Executor task") ? TASKS : OTHERS;
    }
}
