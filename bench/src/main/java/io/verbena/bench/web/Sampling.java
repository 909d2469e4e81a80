package io.verbena.bench.web;

import com.sun.management.ThreadMXBean;
import io.verbena.verbs.Rnic;
import io.verbena.web.FiguresJson;
import io.verbena.web.ProcessFigures;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A thread that does what an open page requires: samples of an RNIC as JSON, at a rate. It samples while it is on. */
final class Sampling implements AutoCloseable {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Rnic rnic;
    private final long pauseNs;
    private final Thread thread;
    private volatile boolean on;
    private volatile boolean closed;
    private volatile long samples;
    private volatile long bytes;

    Sampling(Rnic rnic, int perSecond) {
        this.rnic = rnic;
        pauseNs = TimeUnit.SECONDS.toNanos(1) / perSecond;
        thread = Thread.ofPlatform().daemon().name("sampling").start(this::run);
    }

    private void run() {
        long nextNs = System.nanoTime();
        long taken = 0;
        while (!closed) {
            nextNs += pauseNs;
            if (on) {
                bytes = FiguresJson.text(List.of(ProcessFigures.of("bench", List.of(rnic.figures()))))
                        .length();
                taken++;
                samples = taken;
            }
            try {
                TimeUnit.NANOSECONDS.sleep(nextNs - System.nanoTime());
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    void on(boolean now) {
        on = now;
    }

    long samples() {
        return samples;
    }

    /** Length of the last sample. */
    long bytes() {
        return bytes;
    }

    /** Processor time of the thread until now. */
    long cpuNs() {
        return THREADS.getThreadCpuTime(thread.threadId());
    }

    /** What the engine threads of this process have allocated until now. */
    static long allocatedByEngines() {
        long sum = 0;
        for (Thread each : Thread.getAllStackTraces().keySet()) {
            if (each.getName().contains("-engine-")) {
                sum += THREADS.getThreadAllocatedBytes(each.threadId());
            }
        }
        return sum;
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
