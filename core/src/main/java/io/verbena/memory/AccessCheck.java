package io.verbena.memory;

import io.verbena.verbs.AccessRight;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether an access is permitted, by a chain of named checks: key, domain, memory still present, right, wrap,
 * bounds. The first check that fails determines the result. One object per engine, reused; it does not allocate and
 * takes no lock.
 *
 * <p>A result is valid until the engine leaves its turn ({@link EngineEpoch}). Sources: RFC 5040 section 8.1.1 [1, 3],
 * RFC 5041 section 7.1, RFC 5042 sections 6.1.1 [2] and 6.2.1.
 */
public final class AccessCheck {

    /** An access that is part of no message. */
    public static final long NO_MESSAGE = 0;

    /** Local work names memory by no remote key. */
    private static final int NO_KEY = 0;

    private @Nullable Region region;
    private long offset;
    private boolean oneShot;

    /**
     * Checks an access by a peer.
     *
     * @param rkey the key that the peer sent; any value
     * @param domain protection domain of the queue pair
     * @param address first byte, unsigned; any value
     * @param length number of bytes. With 0 the key, the right and the address are checked nevertheless (the address
     *     may be the end of the region); RFC 5040 permits zero-length Writes and Reads with any key, which the caller
     *     has to decide
     * @param right the right that the access needs
     */
    public Verdict check(RegionTable table, int rkey, int domain, long address, long length, AccessRight right) {
        return check(table, rkey, domain, RemoteKey.ANY_QUEUE_PAIR, NO_MESSAGE, address, length, right);
    }

    /**
     * Checks an access by a message on a queue pair, as keys for one queue pair and one-shot keys need it.
     *
     * @param queuePair number of the queue pair; keys for one queue pair match only this one
     * @param message the message that the access belongs to, see {@link RemoteKey#claimFor}; {@link #NO_MESSAGE} never
     *     matches a one-shot key
     */
    public Verdict check(
            RegionTable table,
            int rkey,
            int domain,
            int queuePair,
            long message,
            long address,
            long length,
            AccessRight right) {
        long[] keys = table.keyLines();
        int at = KeyLines.at(keys, rkey);
        long stamp = KeyLines.stamp(keys, at);
        if (KeyLines.value(stamp) != rkey || rkey == 0) {
            return Verdict.INVALID_KEY;
        }
        if (KeyLines.domain(keys, at) != domain) {
            return Verdict.WRONG_DOMAIN;
        }
        Region found = table.findBound(KeyLines.localKey(keys, at), KeyLines.serial(keys, at));
        if (found == null || !KeyLines.admits(keys, at, queuePair)) {
            return Verdict.INVALID_KEY;
        }
        int rights = KeyLines.rights(keys, at);
        if ((rights & found.gate() & 1 << right.ordinal()) == 0) {
            return shut(found.state());
        }
        // RFC 5041 section 7.1 [8, 9]: all bytes within the range. The difference is modulo 2^64, as addresses are;
        // no range wraps, so what is within one does not either.
        long start = address - KeyLines.baseAddress(keys, at);
        if (outside(start, length, KeyLines.length(keys, at))) {
            return wraps(address, length) ? Verdict.WRAPS : Verdict.BOUNDS;
        }
        start += KeyLines.regionOffset(keys, at);
        oneShot = (rights & KeyLines.ONE_SHOT) != 0;
        if (!KeyLines.unchangedSince(stamp, keys, at) || oneShot && !table.claim(rkey, message)) {
            // It is being bound anew, or it is another message's.
            return Verdict.INVALID_KEY;
        }
        return allowed(found, start, length, right != AccessRight.REMOTE_READ, queuePair, rkey);
    }

    /**
     * Checks an access of local work.
     *
     * @param offset first byte from the start of the region; any value
     * @param length bytes, 0 too
     * @param queuePair number of the queue pair
     * @param willWrite whether the RNIC would write there, which needs {@link AccessRight#LOCAL_WRITE}
     */
    public Verdict checkLocal(
            RegionTable table, int localKey, int domain, int queuePair, long offset, long length, boolean willWrite) {
        Region found = table.findLocal(localKey);
        if (found == null) {
            return Verdict.INVALID_KEY;
        }
        if (found.domain() != domain) {
            return Verdict.WRONG_DOMAIN;
        }
        RegionState state = found.state();
        if (state != RegionState.LIVE && state != RegionState.INVALIDATED) {
            return state == RegionState.LOST ? Verdict.LOST : Verdict.INVALID_KEY;
        }
        if (willWrite && !found.allows(AccessRight.LOCAL_WRITE)) {
            return Verdict.NO_RIGHT;
        }
        return outside(offset, length, found.length())
                ? Verdict.BOUNDS
                : allowed(found, offset, length, willWrite, queuePair, NO_KEY);
    }

    /** Whether the last successful check used a one-shot key, which is now reserved for the message. */
    public boolean oneShot() {
        return oneShot;
    }

    /**
     * The range of the last successful check will be accessed soon: missing pages are requested.
     *
     * @param length bytes of the range, from its beginning
     */
    public void expect(long length) {
        PagedRange pages = region().paged();
        if (pages != null) {
            pages.expect(offset, length);
        }
    }

    /** The region of the last successful check. */
    public Region region() {
        Region found = region;
        if (found == null) {
            throw new IllegalStateException("no check has succeeded yet");
        }
        return found;
    }

    /** Offset of the first byte of the last successful check within its region. */
    public long offset() {
        return offset;
    }

    private static boolean outside(long start, long length, long whole) {
        // Both are below 2^63 when they are right, so a sign means wrong, and the subtraction cannot overflow.
        return start < 0 || length < 0 || start > whole - length;
    }

    private Verdict allowed(Region found, long start, long length, boolean write, int queuePair, int rkey) {
        if (region != found) {
            // Rare: storing a reference costs more than comparing it, because of the write barrier of the garbage
            // collector.
            region = found;
        }
        offset = start;
        PagedRange pages = found.paged();
        return pages == null ? Verdict.OK : pages.check(start, length, write, queuePair, rkey);
    }

    /**
     * The reason for a missing right: the region is not accessible any more, which takes precedence, or the right was
     * not granted.
     */
    private static Verdict shut(RegionState state) {
        return switch (state) {
            case LOST -> Verdict.LOST;
            case CLOSED -> Verdict.INVALID_KEY;
            case LIVE, INVALIDATED -> Verdict.NO_RIGHT;
        };
    }

    /** RFC 5041 section 7.1 [10]: whether the last byte would be above 2^64 - 1. */
    private static boolean wraps(long address, long length) {
        return length > 0 && Long.compareUnsigned(address, -length) > 0;
    }
}
