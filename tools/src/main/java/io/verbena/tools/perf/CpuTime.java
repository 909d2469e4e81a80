package io.verbena.tools.perf;

import java.time.Duration;

/** Processor time of this process, all its threads together; in steps of 10 ms on Linux. */
final class CpuTime {

    private CpuTime() {}

    /** Used so far, in nanoseconds; 0 where the system does not tell. */
    static long usedNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
