package io.verbena.memory;

import io.verbena.verbs.AccessRight;
import org.jspecify.annotations.Nullable;

/**
 * May this access be done? A chain of named checks: key, domain, memory still there, right, wrap, bounds. The first
 * that fails is the answer. One object an engine, used again and again; it allocates nothing and takes no lock.
 *
 * <p>An answer holds until the engine leaves its turn ({@link EngineEpoch}).
 * Sources: RFC 5040 section 8.1.1 [1, 3], RFC 5041 section 7.1, RFC 5042 sections 6.1.1 [2] and 6.2.1.
 */
public final class AccessCheck {

    private @Nullable Region region;
    private long offset;

    /**
     * Checks an access by a peer.
     *
     * @param rkey the key the peer sent; any value
     * @param domain protection domain of the queue pair
     * @param address first byte, unsigned; any value
     * @param length bytes. With 0 the key, the right and the address are checked as ever (the address may be just
     *     behind the region); RFC 5040 lets zero-length Writes and Reads pass with any key, which is for the caller
     *     to decide
     * @param right what the access needs
     */
    public Verdict check(RegionTable table, int rkey, int domain, long address, long length, AccessRight right) {
        Region found = table.findRemote(rkey);
        if (found == null) {
            return Verdict.INVALID_KEY;
        }
        if (found.domain() != domain) {
            return Verdict.WRONG_DOMAIN;
        }
        if (found.state() == RegionState.LOST) {
            return Verdict.LOST;
        }
        if (!found.allows(right)) {
            return Verdict.NO_RIGHT;
        }
        if (wraps(address, length)) {
            return Verdict.WRAPS;
        }
        // RFC 5041 section 7.1 [8, 9]: all bytes within the region. The difference is modulo 2^64, as addresses are.
        return within(found, address - found.baseAddress(), length);
    }

    /**
     * Checks an access of local work.
     *
     * @param offset first byte from the start of the region; any value
     * @param length bytes, 0 too
     * @param willWrite whether the RNIC would write there, which needs {@link AccessRight#LOCAL_WRITE}
     */
    public Verdict checkLocal(
            RegionTable table, int localKey, int domain, long offset, long length, boolean willWrite) {
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
        return within(found, offset, length);
    }

    /** The region of the last check that said OK. */
    public Region region() {
        Region found = region;
        if (found == null) {
            throw new IllegalStateException("no check has said OK yet");
        }
        return found;
    }

    /** First byte of the last check that said OK, from the start of its region. */
    public long offset() {
        return offset;
    }

    private Verdict within(Region found, long start, long length) {
        // Both are below 2^63 when they are right, so a sign means wrong, and the subtraction cannot overflow.
        if (start < 0 || length < 0 || start > found.length() - length) {
            return Verdict.BOUNDS;
        }
        region = found;
        offset = start;
        return Verdict.OK;
    }

    /** RFC 5041 section 7.1 [10]: whether the last byte would be above 2^64 - 1. */
    private static boolean wraps(long address, long length) {
        return length > 0 && Long.compareUnsigned(address, -length) > 0;
    }
}
