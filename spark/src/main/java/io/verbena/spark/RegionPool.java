package io.verbena.spark;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Registered memory that is used again. Registering costs more than a small transfer, so regions are kept up to a bound, as long as there is
 * a shuffle that may need them. Any thread may call any method.
 */
final class RegionPool implements AutoCloseable {

    private static final long LEAST_BYTES = 1 << 16;
    private static final long STEP_BYTES = 1 << 20;

    private final ProtectionDomain domain;
    private final AccessRight right;
    private final Bounds bounds;
    private final HeldShuffles held;
    private final AtomicLong idleFigure;

    // Guarded by this.
    private final List<MemoryRegion> idle = new ArrayList<>();
    private long idleBytes;
    private long takenBytes;
    private boolean closed;

    /**
     * Bounds of a pool.
     *
     * @param mostIdle bytes that are kept for the next use
     * @param mostTaken bytes in use at a time
     */
    record Bounds(long mostIdle, long mostTaken) {}

    RegionPool(ProtectionDomain domain, AccessRight right, Bounds bounds, HeldShuffles held, AtomicLong idleFigure) {
        this.domain = domain;
        this.right = right;
        this.bounds = bounds;
        this.held = held;
        this.idleFigure = idleFigure;
    }

    /** A region of this length or longer, whose contents are undefined; empty if that would exceed the bound or the pool was closed. */
    Optional<MemoryRegion> take(long bytes) {
        long length = rounded(bytes);
        synchronized (this) {
            if (closed || takenBytes + length > bounds.mostTaken()) {
                return Optional.empty();
            }
            for (int i = idle.size() - 1; i >= 0; i--) {
                MemoryRegion region = idle.get(i);
                if (region.length() >= length && region.length() <= 2 * length && region.valid()) {
                    idle.remove(i);
                    count(-region.length());
                    takenBytes += region.length();
                    return Optional.of(region);
                }
            }
            takenBytes += length;
        }
        boolean done = false;
        try {
            MemoryRegion region = domain.allocate(length, right);
            done = true;
            return Optional.of(region);
        } finally {
            if (!done) {
                returned(length);
            }
        }
    }

    /** Takes a region back that no work uses any more. */
    void give(MemoryRegion region) {
        List<MemoryRegion> excess = new ArrayList<>();
        synchronized (this) {
            takenBytes -= region.length();
            if (closed || !held.any() || region.length() > bounds.mostIdle() || !region.valid()) {
                excess.add(region);
            } else {
                idle.add(region);
                count(region.length());
                while (idleBytes > bounds.mostIdle()) {
                    MemoryRegion oldest = idle.removeFirst();
                    count(-oldest.length());
                    excess.add(oldest);
                }
            }
        }
        excess.forEach(MemoryRegion::close);
    }

    private synchronized void returned(long bytes) {
        takenBytes -= bytes;
    }

    private void count(long change) {
        idleBytes += change;
        idleFigure.addAndGet(change);
    }

    /** Bytes in use. */
    synchronized long takenBytes() {
        return takenBytes;
    }

    /** Powers of two up to 1 MiB, then multiples of it. */
    private static long rounded(long bytes) {
        if (bytes <= STEP_BYTES) {
            long length = LEAST_BYTES;
            while (length < bytes) {
                length *= 2;
            }
            return length;
        }
        return Math.ceilDiv(bytes, STEP_BYTES) * STEP_BYTES;
    }

    /** Closes what is idle. Called when the last shuffle was removed: then nothing is kept that is given back later. */
    void trim() {
        List<MemoryRegion> left;
        synchronized (this) {
            left = List.copyOf(idle);
            idle.clear();
            count(-idleBytes);
        }
        left.forEach(MemoryRegion::close);
    }

    /** Closes what is idle; what is in use is closed when it is given back. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        trim();
    }
}
