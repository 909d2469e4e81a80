package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The fields of each remote key that a check reads: eight adjacent words per slot, so that a key that was not used
 * recently costs one cache miss instead of several.
 *
 * <pre>
 *    0 count of binds 32 | value 32      the stamp; value 0: nothing is bound
 *    1 base address
 *    2 length
 *    3 offset in the region
 *    4 serial number of the region
 *    5 protection domain | queue pair, 0 for any
 *    6 rights, one-shot  | local key of the region
 * </pre>
 *
 * <p><b>Reading without a lock.</b> A writer first stores a stamp with value 0, which matches no key, then the fields,
 * then the new stamp. A reader loads the stamp, the fields, and the stamp again: if both stamps are equal and match the
 * requested key, the fields are consistent. A key that is being bound therefore appears unbound, never partially bound.
 *
 * <p>A check that preceded the first store may still be copying; {@link Revocation} waits for that. It also waits for
 * checks that use the lines from before a growth of the table, which are not updated any more: later checks use the new
 * lines.
 */
final class KeyLines {

    /** In the rights: the key is good for one message. */
    static final int ONE_SHOT = 1 << 31;

    private static final int LINE = 8;
    private static final int BASE_ADDRESS = 1;
    private static final int LENGTH = 2;
    private static final int REGION_OFFSET = 3;
    private static final int SERIAL = 4;
    private static final int OWNERS = 5;
    private static final int RIGHTS = 6;
    private static final VarHandle STAMP = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] lines;

    /** Nothing is bound. */
    KeyLines(int slots) {
        lines = new long[slots * LINE];
    }

    // For checks: static, with the words as arguments, so that the array is loaded once per check and not once per
    // field.

    /** All words. */
    long[] words() {
        return lines;
    }

    /** Where the line of a value is. */
    static int at(long[] words, int value) {
        return value * LINE & words.length - 1;
    }

    static long stamp(long[] words, int at) {
        return (long) STAMP.getAcquire(words, at);
    }

    /** The value of a stamp; 0 matches nothing. */
    static int value(long stamp) {
        return (int) stamp;
    }

    /** Whether what was read since {@code seen} was loaded belongs together. */
    static boolean unchangedSince(long seen, long[] words, int at) {
        VarHandle.acquireFence();
        return (long) STAMP.getOpaque(words, at) == seen;
    }

    static long baseAddress(long[] words, int at) {
        return words[at + BASE_ADDRESS];
    }

    static long length(long[] words, int at) {
        return words[at + LENGTH];
    }

    static long regionOffset(long[] words, int at) {
        return words[at + REGION_OFFSET];
    }

    /** Distinguishes regions that had the same local key one after the other. */
    static long serial(long[] words, int at) {
        return words[at + SERIAL];
    }

    static int domain(long[] words, int at) {
        return (int) (words[at + OWNERS] >>> Integer.SIZE);
    }

    /** Whether a queue pair may use the key. */
    static boolean admits(long[] words, int at, int number) {
        int only = (int) words[at + OWNERS];
        return only == RemoteKey.ANY_QUEUE_PAIR || only == number;
    }

    static int rights(long[] words, int at) {
        return (int) (words[at + RIGHTS] >>> Integer.SIZE);
    }

    static int localKey(long[] words, int at) {
        return (int) words[at + RIGHTS];
    }

    // Under the table's lock.

    /** From here on the value matches nothing; a volatile store, see {@link EngineEpoch}. */
    void close(int value) {
        int at = at(lines, value);
        STAMP.setVolatile(lines, at, stamp(lines, at) & 0xffff_ffff_0000_0000L);
    }

    /** What a value opens from {@link #open} on. */
    void fields(int value, Region region, long base, long offset, long bytes, int rights, int domain, int queuePair) {
        int at = at(lines, value);
        assert value(stamp(lines, at)) == 0;
        VarHandle.storeStoreFence();
        lines[at + BASE_ADDRESS] = base;
        lines[at + LENGTH] = bytes;
        lines[at + REGION_OFFSET] = offset;
        lines[at + SERIAL] = region.serial();
        lines[at + OWNERS] = pair(domain, queuePair);
        lines[at + RIGHTS] = pair(rights, region.localKey());
    }

    private static long pair(int upper, int lower) {
        return (long) upper << Integer.SIZE | lower & 0xffff_ffffL;
    }

    /** From here on the value matches. */
    void open(int value) {
        int at = at(lines, value);
        long count = (stamp(lines, at) >>> Integer.SIZE) + 1;
        STAMP.setRelease(lines, at, pair((int) count, value));
    }

    /** Copies a line from smaller lines, which are not written any more. */
    void take(int value, KeyLines smaller) {
        System.arraycopy(smaller.lines, at(smaller.lines, value), lines, at(lines, value), LINE);
    }
}
