package io.verbena.messaging.transfer;

import io.verbena.messaging.ring.Allocations;
import io.verbena.messaging.ring.CopyMemory;
import io.verbena.messaging.ring.Registered;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * User memory registered in the protection domain of one connection. Registrations are kept for reuse, since programs use the same buffers
 * again; the least recently used idle one is removed first. Memory that the RNIC cannot access (heap, confined) is copied.
 *
 * <p>Memory to which the peer gets a key is registered for exactly the bytes of its message. Memory to which the peer gets no key is registered
 * as the whole segment, so that other messages in it reuse the registration.
 *
 * <p>Memory of {@link Allocations} is registered already, and is used where it is.
 *
 * <p>A message on the heap, and with direct access each other one up to {@link CopyMemory#MAX_BYTES}, is copied to
 * memory of
 * the RNIC, which is used again for later messages to that peer: beyond its message a peer can read others that were
 * sent to it. With direct access it reads them without the help of this rank.
 */
public final class Registrations {

    private static final int MAX_KEPT = 8;

    private final ProtectionDomain domain;
    private final boolean direct;
    private final CopyMemory readByPeer;
    private final CopyMemory received;
    private final Allocations allocations;
    private final List<Registration> kept = new ArrayList<>(); // least recently used first

    /**
     * Of a connection.
     *
     * @param direct whether the peer reads memory that this RNIC has allocated without its help
     * @param allocations memory that is registered in this domain already
     */
    Registrations(ProtectionDomain domain, boolean direct, Allocations allocations) {
        this.domain = domain;
        this.direct = direct;
        this.allocations = allocations;
        readByPeer = new CopyMemory(domain, Use.READ_BY_PEER.rights);
        received = new CopyMemory(domain, Use.RECEIVED.rights);
    }

    public ProtectionDomain domain() {
        return domain;
    }

    /** Purpose of a registration, with the least access right that suffices. */
    enum Use {
        /** This rank writes it to the peer. */
        SENT(),
        /** This rank reads into it from the peer. */
        RECEIVED(AccessRight.LOCAL_WRITE),
        /** The peer reads it. */
        READ_BY_PEER(AccessRight.REMOTE_READ),
        /** The peer writes it once; the registration is not kept. */
        WRITTEN_BY_PEER(AccessRight.REMOTE_WRITE);

        private final AccessRight[] rights;

        Use(AccessRight... rights) {
            this.rights = rights;
        }

        boolean sends() {
            return this == SENT || this == READ_BY_PEER;
        }

        /** Returns whether the peer gets a key to it. */
        boolean remote() {
            return this == READ_BY_PEER || this == WRITTEN_BY_PEER;
        }
    }

    /** A registered segment. */
    private final class Registration implements Registered {
        private final MemorySegment segment;
        private final Use use;
        private final MemoryRegion region;
        private final @Nullable MemorySegment bounce;
        private int users = 1;

        /** Of user memory. */
        private Registration(MemorySegment segment, Use use, MemoryRegion region) {
            this.segment = segment;
            this.use = use;
            this.region = region;
            bounce = null;
        }

        /** Of memory for a copy of user memory. */
        private Registration(MemorySegment segment, Use use, long length) {
            this.segment = segment;
            this.use = use;
            CopyMemory copies = copies(use);
            region = copies == null ? domain.allocate(length, use.rights) : copies.take(length);
            bounce = region.segment();
        }

        private boolean kept() {
            return bounce == null && use != Use.WRITTEN_BY_PEER;
        }

        /** Returns whether these bytes can be transferred under this registration: the same memory, and no more of it than the use allows. */
        private boolean serves(MemorySegment wanted, long offset, long length, Use wantedUse) {
            if (use != wantedUse
                    || !segment.scope().equals(wanted.scope())
                    || !segment.scope().isAlive()
                    || !region.valid()) {
                return false;
            }
            long at = wanted.address() + offset - segment.address();
            return use.remote()
                    ? at == 0 && length == segment.byteSize()
                    : at >= 0 && at <= segment.byteSize() - length;
        }

        @Override
        public long offsetOf(MemorySegment memory, long offset) {
            return bounce == null ? memory.address() + offset - segment.address() : 0;
        }

        @Override
        public MemoryRegion region() {
            return region;
        }

        @Override
        public @Nullable MemorySegment bounce() {
            return bounce;
        }

        @Override
        public void release() {
            users--;
            CopyMemory copies = bounce == null ? null : copies(use);
            if (copies != null) {
                copies.recycle(region);
            } else if (!kept()) {
                region.close();
            }
        }
    }

    /** The memory for copies that is used again; null if there is none for this use. */
    private @Nullable CopyMemory copies(Use use) {
        return switch (use) {
            case READ_BY_PEER -> readByPeer;
            case RECEIVED -> received;
            case SENT, WRITTEN_BY_PEER -> null;
        };
    }

    /** Registers the memory of a message. A message that is sent from memory that the RNIC cannot access is copied by this call. */
    Registered of(MemorySegment segment, long offset, long length, Use use) {
        Registered allocated =
                segment.isNative() && use != Use.WRITTEN_BY_PEER ? allocations.at(segment, offset, length) : null;
        if (allocated != null) {
            return allocated;
        }
        Registration found = find(segment, offset, length, use);
        MemorySegment copy = found.bounce;
        if (copy != null && use.sends()) {
            MemorySegment.copy(segment, offset, copy, 0, length);
        }
        return found;
    }

    private Registration find(MemorySegment segment, long offset, long length, Use use) {
        boolean copiedForPeer = direct && use == Use.READ_BY_PEER && length <= CopyMemory.MAX_BYTES;
        if (copiedForPeer
                || !segment.isNative()
                || !segment.isAccessibleBy(OTHER_THREAD)) { // heap, or confined to a thread
            return new Registration(segment, use, length);
        }
        for (int i = kept.size() - 1; i >= 0; i--) {
            Registration at = kept.get(i);
            if (at.serves(segment, offset, length, use)) {
                if (i < kept.size() - 1) {
                    kept.remove(i);
                    kept.add(at);
                }
                at.users++;
                return at;
            }
        }
        MemorySegment memory = use.remote() ? segment.asSlice(offset, length) : segment;
        Registration registration = new Registration(memory, use, domain.register(memory, use.rights));
        if (registration.kept()) {
            kept.add(registration);
            dropIdle();
        }
        return registration;
    }

    /** A thread that is never started; stands for any thread but the present one. */
    private static final Thread OTHER_THREAD = Thread.ofPlatform().unstarted(() -> {});

    private void dropIdle() {
        for (int i = 0; kept.size() > MAX_KEPT && i < kept.size(); ) {
            if (kept.get(i).users == 0) {
                kept.remove(i).region.close();
            } else {
                i++;
            }
        }
    }

    /** Present number of registered bytes of user memory. */
    long bytes() {
        long bytes = 0;
        for (Registration at : kept) {
            bytes += at.region.length();
        }
        return bytes;
    }

    /** The connection has ended. */
    void close() {
        for (Registration at : kept) {
            at.region.close();
        }
        kept.clear();
        readByPeer.close();
        received.close();
    }
}
