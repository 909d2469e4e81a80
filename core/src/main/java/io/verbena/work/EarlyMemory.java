package io.verbena.work;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The memory that all streams of an RNIC may use together for what arrives after holes. A stream takes its part when one of its
 * tables grows, and returns it when the stream ends. Without memory a stream takes no more segments after holes; TCP sends them
 * again.
 */
public final class EarlyMemory {

    private final long limitBytes;
    private final AtomicLong used = new AtomicLong();

    public EarlyMemory(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Takes this many bytes. Returns false if that would exceed the limit. Any thread. */
    public boolean take(int bytes) {
        if (used.addAndGet(bytes) <= limitBytes) {
            return true;
        }
        used.addAndGet(-bytes);
        return false;
    }

    /** Returns bytes that were taken. Any thread. */
    public void give(long bytes) {
        used.addAndGet(-bytes);
    }

    public long usedBytes() {
        return used.get();
    }
}
