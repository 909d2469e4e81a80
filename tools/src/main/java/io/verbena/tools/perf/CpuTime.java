package io.verbena.tools.perf;

import java.time.Duration;

/** Processor time of this process, all its threads together; in steps of 10 ms on Linux. */
final class CpuTime {

    private CpuTime() {}

    /** Processor time so far, in nanoseconds; 0 if the system does not report it. */
    static long usedNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }
}
