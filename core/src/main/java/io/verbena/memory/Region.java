package io.verbena.memory;

import io.verbena.base.Digest;
import io.verbena.base.SharedGrants;
import io.verbena.verbs.AccessRight;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One registered memory region, and the only place that copies bytes into and out of it.
 *
 * <p><b>Memory that fails.</b> A user may close the arena, truncate a mapped file, or lose its device, while an engine
 * copies. A closed arena throws at once. An inaccessible page of a file raises a signal, which the JVM turns into an
 * {@link InternalError} of this thread. In compiled code the error is not thrown by the access itself but at the next
 * safepoint, which for copies below 64 bytes can be after the copy has returned, in unrelated code. Therefore a native
 * method is called right after each access to memory that {@linkplain Backing#mayFault() may fault}: the return from
 * native code is such a point, so a pending error is thrown within the try block. The call takes 17 ns and is omitted
 * for memory that the RNIC allocated itself. After a failure the region is permanently LOST: operations report it by a
 * value, and the JVM survives.
 *
 * <p>The other side of a copy must be memory that cannot fail, such as a slab: a failure is always attributed to this
 * region.
 *
 * <p><b>Addresses.</b> Peers address bytes by {@link #baseAddress()} plus an offset. It is not an address of this
 * machine; only its lowest three bits equal those of the native address, so that the alignment seen by a peer is the
 * alignment here.
 *
 * <p>Any thread may call any method. Copies are not atomic. {@link #directView} belongs to one engine.
 */
public final class Region {

    private static final int WRITING = RegistrationRules.bits(RegistrationRules.WRITING);
    private static final int READING = RegistrationRules.bits(Set.of(AccessRight.REMOTE_READ));
    private static final ValueLayout.OfLong WORD_LAYOUT = ValueLayout.JAVA_LONG;
    private static final VarHandle WORD = WORD_LAYOUT.varHandle();
    private static final Object NO_LOCK = new Object();
    private static final int ATOMIC_ALIGNMENT = 8;
    private static final int LEAST_PAGE_BYTES = 4096;

    // What a check reads, together: base, length, key, domain, rights, state.
    private final long baseAddress;
    private final long length;
    private final int domain;
    private volatile int rights;
    private volatile int gate;
    private final int localKey;
    private volatile RegionState state = RegionState.LIVE;
    private final @Nullable PagedRange paged;
    private final RemoteKey key;
    private long serial;

    private final MemorySegment segment;
    private final boolean mayFault;
    private final Backing backing;
    private boolean released;
    private volatile String lostReason = "";
    private volatile @Nullable DirectViews[] views = {};

    /** What {@link #present} saw; written so that its loads are not left out. */
    @SuppressWarnings("UnusedVariable")
    private int probed;

    Region(Backing backing, long baseAddress, int domain, int rights, int localKey) {
        this(backing, null, baseAddress, domain, rights, localKey);
    }

    /** A region over an address space, translated page by page. */
    Region(PagedRange paged, long baseAddress, int domain, int rights, int localKey) {
        this(Backing.collected(MemorySegment.NULL), paged, baseAddress, domain, rights, localKey);
    }

    private Region(
            Backing backing, @Nullable PagedRange paged, long baseAddress, int domain, int rights, int localKey) {
        this.backing = backing;
        this.paged = paged;
        this.segment = backing.segment();
        this.mayFault = backing.mayFault();
        this.baseAddress = baseAddress;
        this.length = paged == null ? segment.byteSize() : paged.length();
        this.domain = domain;
        this.rights = rights;
        this.gate = (rights & WRITING) == 0 ? READING : READING | WRITING;
        this.localKey = localKey;
        this.key = RemoteKey.ofRegion(domain);
    }

    /** The memory. */
    public MemorySegment segment() {
        return segment;
    }

    /**
     * Whether the memory remains valid as long as the region, so that its address may be passed to the system for a
     * call within an engine turn. This is not the case for memory of an arena that the user can close.
     */
    public boolean steady() {
        return backing.steady();
    }

    /** Address of the first byte as peers name it: above 4 GiB, opaque. */
    public long baseAddress() {
        return baseAddress;
    }

    /** Length in bytes, 1 or more. */
    public long length() {
        return length;
    }

    /** Number of the protection domain that it belongs to. */
    public int domain() {
        return domain;
    }

    /** Whether the region was registered with this right. */
    public boolean allows(AccessRight right) {
        return (rights & 1 << right.ordinal()) != 0;
    }

    /** The rights that it was registered with. */
    public Set<AccessRight> rights() {
        return RegistrationRules.rights(rights);
    }

    /** Key for local work; never 0. */
    public int localKey() {
        return localKey;
    }

    /** Key for peers to all of it; 0 when it has none because it was invalidated or closed. */
    public int rkey() {
        return key.value();
    }

    /** The key to all of it. */
    RemoteKey key() {
        return key;
    }

    /** Serial number, unique among all regions of the table; local keys are reused after some hundred thousand. */
    long serial() {
        return serial;
    }

    /** It enters a table. */
    void serial(long number) {
        serial = number;
    }

    /** The rights as bits, see {@link #allows}. */
    int rightBits() {
        return rights;
    }

    /** Which peers access it without an engine; empty if none can. */
    public Optional<SharedGrants> grants() {
        return backing.grants();
    }

    /** Its pages, if it is pageable. */
    @Nullable
    PagedRange paged() {
        return paged;
    }

    /** Whether the region is contiguous and always resident, so that {@link #directView} can be used. */
    public boolean pinned() {
        return paged == null;
    }

    /**
     * The maximum rights that keys can grant to the region, as bits: a key may let peers read it, and write it if the
     * process itself may have it written. No rights if the region is lost or closed; {@link #state} then shows this
     * too.
     */
    int gate() {
        return gate;
    }

    /**
     * Removes write access, because the protection of the segment was changed. Wait for a {@link Revocation}
     * afterwards.
     */
    public synchronized void withdrawWriting() {
        rights = rights & ~WRITING;
        gate = gate & ~WRITING;
    }

    /** The current state. */
    public RegionState state() {
        return state;
    }

    /** Why the memory is lost, as a sentence; empty if it is not. */
    public String lostReason() {
        return lostReason;
    }

    /**
     * Marks the memory as lost: for I/O on a {@link #directView} that failed (EFAULT, a closed arena). The first reason
     * is kept. Has no effect if the region is closed.
     */
    public void markLost(String reason) {
        synchronized (this) {
            if (state == RegionState.LIVE || state == RegionState.INVALIDATED) {
                lostReason = reason;
                state = RegionState.LOST;
                gate = 0;
            }
        }
    }

    /**
     * Copies into the region.
     *
     * @param from memory that cannot fail, such as a slab
     */
    public CopyResult copyIn(long regionOffset, MemorySegment from, long fromOffset, int length) {
        PagedRange pages = paged;
        if (pages != null) {
            return pages.copyIn(regionOffset, from, fromOffset, length);
        }
        return copy(from, fromOffset, segment, regionOffset, length);
    }

    /**
     * Copies out of the region.
     *
     * @param to memory that cannot fail, such as a slab; its content is undefined unless the result is DONE
     */
    public CopyResult copyOut(long regionOffset, MemorySegment to, long toOffset, int length) {
        PagedRange pages = paged;
        if (pages != null) {
            return pages.copyOut(regionOffset, to, toOffset, length);
        }
        return copy(segment, regionOffset, to, toOffset, length);
    }

    private CopyResult copy(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, int length) {
        try {
            MemorySegment.copy(from, fromOffset, to, toOffset, length);
            if (mayFault) {
                letPendingErrorOut();
            }
            return CopyResult.DONE;
        } catch (IllegalStateException | InternalError | WrongThreadException | IndexOutOfBoundsException e) {
            markLost(reasonOf(e));
            return CopyResult.LOST;
        }
    }

    /**
     * FetchAdd, RFC 7306 section 5.1.1 [note]: adds to the 64-bit word at an offset, atomically with respect to each
     * thread of this JVM that uses a VarHandle, and to every process that shares the memory.
     *
     * @param mask a bit is set at the most significant bit of each field; carries out of a field are dropped. 0: one
     *     field
     * @param result receives the previous value if the outcome is DONE
     */
    public AtomicOutcome fetchAndAdd(long regionOffset, long addend, long mask, AtomicResult result) {
        if (!aligned(regionOffset)) {
            return AtomicOutcome.UNALIGNED;
        }
        MemorySegment memory = wordMemory(regionOffset);
        long at = wordOffset(regionOffset, memory);
        if (at < 0) {
            return at == PagedRange.ABSENT ? AtomicOutcome.NOT_NOW : AtomicOutcome.LOST;
        }
        try {
            long original;
            if (mask == 0) {
                original = (long) WORD.getAndAdd(memory, at, addend);
            } else {
                long seen = (long) WORD.getVolatile(memory, at);
                do {
                    original = seen;
                    seen = (long) WORD.compareAndExchange(memory, at, original, addFields(original, addend, mask));
                } while (seen != original);
            }
            return finishAtomic(original, result);
        } catch (IllegalStateException | InternalError | WrongThreadException | IndexOutOfBoundsException e) {
            markLost(reasonOf(e));
            return AtomicOutcome.LOST;
        }
    }

    /**
     * CmpSwap, RFC 7306 section 5.1.2 [1]: if the word equals {@code expected} in the bits of {@code compareMask}, the
     * bits of {@code swapMask} are replaced by those of {@code swap}; atomically, as {@link #fetchAndAdd}.
     *
     * @param result receives the previous value if the outcome is DONE, whether or not the comparison succeeded
     */
    public AtomicOutcome compareAndSwap(
            long regionOffset, long expected, long compareMask, long swap, long swapMask, AtomicResult result) {
        if (!aligned(regionOffset)) {
            return AtomicOutcome.UNALIGNED;
        }
        MemorySegment memory = wordMemory(regionOffset);
        long at = wordOffset(regionOffset, memory);
        if (at < 0) {
            return at == PagedRange.ABSENT ? AtomicOutcome.NOT_NOW : AtomicOutcome.LOST;
        }
        try {
            long original;
            long seen = (long) WORD.getVolatile(memory, at);
            do {
                original = seen;
                if (((original ^ expected) & compareMask) != 0) {
                    break;
                }
                long replacement = original & ~swapMask | swap & swapMask;
                seen = (long) WORD.compareAndExchange(memory, at, original, replacement);
            } while (seen != original);
            return finishAtomic(original, result);
        } catch (IllegalStateException | InternalError | WrongThreadException | IndexOutOfBoundsException e) {
            markLost(reasonOf(e));
            return AtomicOutcome.LOST;
        }
    }

    /**
     * Whether the memory of a range is accessible now, as far as this can be determined without an access; if not, the
     * region is lost. Call before a {@link #directView}: a system call that reaches the end of a truncated file has
     * already sent a part of its data.
     */
    public boolean present(long regionOffset, int length) {
        if (!mayFault || length == 0) {
            return true;
        }
        try {
            int seen = segment.get(ValueLayout.JAVA_BYTE, regionOffset + length - 1);
            for (long at = regionOffset; at < regionOffset + length; at += LEAST_PAGE_BYTES) {
                seen += segment.get(ValueLayout.JAVA_BYTE, at);
            }
            probed = seen;
            letPendingErrorOut();
            return true;
        } catch (IllegalStateException | InternalError | WrongThreadException | IndexOutOfBoundsException e) {
            markLost(reasonOf(e));
            return false;
        }
    }

    /** Adds field by field: the top bit of each field by exclusive or, so that nothing is carried out of it. */
    static long addFields(long a, long b, long topBits) {
        return (a & ~topBits) + (b & ~topBits) ^ (a ^ b) & topBits;
    }

    private boolean aligned(long regionOffset) {
        return (baseAddress + regionOffset & ATOMIC_ALIGNMENT - 1) == 0;
    }

    /** The memory that contains a word now. */
    private MemorySegment wordMemory(long regionOffset) {
        PagedRange pages = paged;
        return pages == null ? segment : pages.memoryOf(regionOffset);
    }

    /** Where the word is in that memory; negative if it is not there, see {@link PagedRange#locateWord}. */
    private long wordOffset(long regionOffset, MemorySegment memory) {
        PagedRange pages = paged;
        return pages == null ? regionOffset : pages.locateWord(regionOffset, memory);
    }

    private AtomicOutcome finishAtomic(long original, AtomicResult result) {
        if (mayFault) {
            letPendingErrorOut();
        }
        result.original(original);
        return AtomicOutcome.DONE;
    }

    /** Call after the last bytes of a Write were copied: a thread that polls them with acquire sees all of it. */
    public static void publish() {
        VarHandle.releaseFence();
    }

    /**
     * A buffer over a part of the region, for an immediate channel call. Check the range first: an offset outside is a
     * bug. Allocates on first use only. If the call fails with EFAULT or with an IllegalStateException, call
     * {@link #markLost}. While the call runs, closing the arena throws in the thread of the user.
     *
     * @param engine number of the calling engine within its RNIC, from 0: each engine has buffers of its own
     * @param length 0 to 1 GiB minus 8 bytes
     * @throws IllegalStateException if the arena is already closed
     */
    public ByteBuffer directView(int engine, long regionOffset, int length) {
        @Nullable DirectViews[] all = views;
        DirectViews directViews = engine < all.length ? all[engine] : null;
        if (directViews == null) {
            directViews = addViews(engine);
        }
        return directViews.range(regionOffset, length);
    }

    private synchronized DirectViews addViews(int engine) {
        @Nullable DirectViews[] grown = new DirectViews[Math.max(engine + 1, views.length)];
        System.arraycopy(views, 0, grown, 0, views.length);
        DirectViews directViews = new DirectViews(segment);
        grown[engine] = directViews;
        views = grown;
        return directViews;
    }

    /** Releases memory that the region owns: after deregistration and a settled {@link Revocation}. Once. */
    public synchronized void release() {
        if (state != RegionState.CLOSED) {
            throw new IllegalStateException("a region must be deregistered before its memory is released");
        }
        if (!released) {
            released = true;
            views = new DirectViews[0];
            backing.giveBack().run();
        }
    }

    /** Changes the state from one to another unless it has changed meanwhile (lost). */
    synchronized void advance(RegionState from, RegionState to) {
        if (state == from) {
            state = to;
        }
    }

    synchronized void closed() {
        state = RegionState.CLOSED;
        gate = 0;
    }

    /** Mixes what decides about accesses into a digest. */
    long stateDigest(long digest) {
        long mixed = Digest.mix(Digest.mix(digest, baseAddress), length);
        mixed = Digest.mix(mixed, (long) rkey() << 32 | localKey & 0xffff_ffffL);
        return Digest.mix(Digest.mix(mixed, domain), (long) rights << 8 | state.ordinal());
    }

    /** Any native method that is not replaced by compiled code would do; this one does nothing and is cheap. */
    private static void letPendingErrorOut() {
        Thread.holdsLock(NO_LOCK);
    }

    private static String reasonOf(Throwable e) {
        return switch (e) {
            case InternalError fault ->
                "the memory is inaccessible (a mapped file was truncated, or its device failed)";
            case IllegalStateException closed -> "the arena of the memory was closed while it was registered";
            case WrongThreadException confined -> "the memory belongs to one thread only";
            default -> "the access was outside the memory: " + e.getMessage();
        };
    }
}
