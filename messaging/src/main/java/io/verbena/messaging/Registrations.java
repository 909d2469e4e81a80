package io.verbena.messaging;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * User memory registered in one connection's domain. Registrations are kept for a while, since programs use the same buffers again;
 * the least recently used one that is idle goes first. Memory that the RNIC cannot reach (heap, confined) is copied.
 */
final class Registrations {

    private static final int MOST_IDLE = 8;

    private final ProtectionDomain domain;
    private final List<Registration> kept = new ArrayList<>(); // least recently used first

    Registrations(ProtectionDomain domain) {
        this.domain = domain;
    }

    /** A piece of memory under a registration. */
    static final class Registration {
        private final MemorySegment segment;
        private final boolean receives;
        private final MemoryRegion region;
        private final @Nullable MemorySegment bounce;
        private int users;

        private Registration(MemorySegment segment, boolean receives, MemoryRegion region, boolean bounces) {
            this.segment = segment;
            this.receives = receives;
            this.region = region;
            this.bounce = bounces ? region.segment() : null;
        }

        MemoryRegion region() {
            return region;
        }

        /** Memory of ours that stands for the user's; null when the user's own is registered. */
        @Nullable
        MemorySegment bounce() {
            return bounce;
        }

        void release() {
            users--;
            if (bounce != null) {
                region.close();
            }
        }
    }

    /** For a message that the peer will read. */
    Registration forSending(MemorySegment segment, long offset, long length) {
        Registration found = find(segment, length, false);
        MemorySegment copy = found.bounce;
        if (copy != null) {
            MemorySegment.copy(segment, offset, copy, 0, length);
        }
        return found;
    }

    /** For a message that we will read. */
    Registration forReceiving(MemorySegment segment, long length) {
        return find(segment, length, true);
    }

    private Registration find(MemorySegment segment, long length, boolean receives) {
        for (int i = kept.size() - 1; i >= 0; i--) {
            Registration at = kept.get(i);
            if (at.receives == receives && same(at.segment, segment) && at.region.valid()) {
                if (i < kept.size() - 1) {
                    kept.remove(i);
                    kept.add(at);
                }
                at.users++;
                return at;
            }
        }
        Registration made = segment.isNative() ? register(segment, receives) : null;
        if (made == null) {
            AccessRight right = receives ? AccessRight.LOCAL_WRITE : AccessRight.REMOTE_READ;
            made = new Registration(segment, receives, domain.allocate(length, right), true);
            made.users = 1;
            return made;
        }
        made.users = 1;
        kept.add(made);
        dropIdle();
        return made;
    }

    private static boolean same(MemorySegment a, MemorySegment b) {
        return a.equals(b) && a.scope().equals(b.scope()) && a.scope().isAlive();
    }

    private @Nullable Registration register(MemorySegment segment, boolean receives) {
        if (!segment.isAccessibleBy(STRANGER)) {
            return null; // confined to a thread
        }
        AccessRight right = receives ? AccessRight.LOCAL_WRITE : AccessRight.REMOTE_READ;
        return new Registration(segment, receives, domain.register(segment, right), false);
    }

    /** A thread that never starts. */
    private static final Thread STRANGER = Thread.ofPlatform().unstarted(() -> {});

    private void dropIdle() {
        for (int i = 0; kept.size() > MOST_IDLE && i < kept.size(); ) {
            if (kept.get(i).users == 0) {
                kept.remove(i).region.close();
            } else {
                i++;
            }
        }
    }

    /** Bytes of user memory that are registered now. */
    long bytes() {
        long bytes = 0;
        for (Registration at : kept) {
            bytes += at.region.length();
        }
        return bytes;
    }

    /** The connection is over. */
    void close() {
        for (Registration at : kept) {
            at.region.close();
        }
        kept.clear();
    }
}
