package io.verbena.tools.perf;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Processor time of this process, all its threads together; in steps of 10 ms on Linux. */
public final class CpuTime {

    /** What was used from {@link #begin} to {@link #end}. */
    static final class Span {

        private long usedNs = CpuTime.usedNs();
        private long compilerNs = CpuTime.compilerNs();

        void end() {
            usedNs = CpuTime.usedNs() - usedNs;
            compilerNs = CpuTime.compilerNs() - compilerNs;
        }

        long usedNs() {
            return usedNs;
        }

        /** How long the compiler of Java has worked. */
        long compilerNs() {
            return compilerNs;
        }
    }

    private CpuTime() {}

    static Span begin() {
        return new Span();
    }

    /** Processor time so far, in nanoseconds; 0 if the system does not report it. */
    private static long usedNs() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElse(0L);
    }

    /** How long the compiler has worked so far, in nanoseconds; 0 if the JVM does not report it. */
    public static long compilerNs() {
        @Nullable CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        return compiler != null && compiler.isCompilationTimeMonitoringSupported()
                ? TimeUnit.MILLISECONDS.toNanos(compiler.getTotalCompilationTime())
                : 0;
    }
}
