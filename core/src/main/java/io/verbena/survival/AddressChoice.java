package io.verbena.survival;

import io.verbena.base.Digest;
import io.verbena.base.RandomSource;
import io.verbena.base.Times;
import java.time.Duration;
import java.util.Arrays;

/**
 * Which address of the peer is tried next: the one after the last in the list whose pause has ended. After each
 * failure the pause of an address doubles, up to a maximum, and a random part of it is added so that the two sides do
 * not keep meeting.
 */
public final class AddressChoice {

    /** No address can be tried now. */
    public static final int NONE = -1;

    private static final int JITTER_DIVISOR = 4;

    private final long firstPauseNs;
    private final long longestPauseNs;
    private final RandomSource random;
    private final long[] freeAtNs;
    private final int[] failures;
    private final boolean[] refused;

    private int last;

    /**
     * @param addresses their number; 0 if the other side opens all connections
     * @param firstPause after the first failure of an address
     * @param longestPause however often an address fails
     */
    public AddressChoice(int addresses, Duration firstPause, Duration longestPause, RandomSource random) {
        firstPauseNs = Math.max(1, Times.nanos(firstPause));
        longestPauseNs = Math.max(firstPauseNs, Times.nanos(longestPause));
        this.random = random;
        freeAtNs = new long[addresses];
        Arrays.fill(freeAtNs, Times.NEVER);
        failures = new int[addresses];
        refused = new boolean[addresses];
    }

    /** The next choice is this address, if it is not refused. */
    public void prefer(int address) {
        last = Math.floorMod(address - 1, failures.length);
        freeAtNs[address] = Times.NEVER;
    }

    /** The address after one of them that is not the excepted one, or {@link #NONE}. */
    public int other(int after, int except) {
        for (int i = 1; i <= failures.length; i++) {
            int address = Math.floorMod(after + i, failures.length);
            if (address != except) {
                return address;
            }
        }
        return NONE;
    }

    /** The address to try now, or {@link #NONE}. */
    public int next(long nowNs) {
        for (int i = 1; i <= failures.length; i++) {
            int address = (last + i) % failures.length;
            if (!refused[address] && (freeAtNs[address] == Times.NEVER || Times.due(freeAtNs[address], nowNs))) {
                last = address;
                return address;
            }
        }
        return NONE;
    }

    /**
     * When {@link #next} has an address again: the end of the shortest pause. {@link Times#NEVER} if no address has a
     * pause.
     */
    public long nextAtNs() {
        long earliestNs = Times.NEVER;
        for (int address = 0; address < failures.length; address++) {
            if (!refused[address]) {
                earliestNs = Times.earlier(earliestNs, freeAtNs[address]);
            }
        }
        return earliestNs;
    }

    /** The address does not lead to the peer now. */
    public void failed(int address, long nowNs) {
        long pauseNs = firstPauseNs;
        for (int i = 0; i < failures[address] && pauseNs < longestPauseNs; i++) {
            pauseNs = Math.min(longestPauseNs, 2 * pauseNs);
        }
        failures[address]++;
        long jitterNs = Math.floorMod(random.nextLong(), pauseNs / JITTER_DIVISOR + 1);
        freeAtNs[address] = Times.after(nowNs, pauseNs + jitterNs);
    }

    /**
     * The process at this address does not know the association: the address is not tried again before {@link
     * #resumed}.
     */
    public void refused(int address) {
        refused[address] = true;
    }

    /** Whether there were addresses, and none of them is left to be tried. */
    public boolean allRefused() {
        for (boolean each : refused) {
            if (!each) {
                return false;
            }
        }
        return refused.length > 0;
    }

    /** The association is carried again: refusals end. */
    public void resumed() {
        Arrays.fill(refused, false);
    }

    /**
     * The last connection executed or completed a request: pauses of all addresses end, and the next failure counts
     * as the first.
     */
    public void worked() {
        Arrays.fill(failures, 0);
        Arrays.fill(freeAtNs, Times.NEVER);
    }

    /** The address that was chosen last; 0 before the first choice. */
    public int last() {
        return last;
    }

    /** Changes whenever the state does; of instants only their distance counts. */
    public long stateDigest(long nowNs) {
        long digest = last;
        for (int address = 0; address < failures.length; address++) {
            digest = Digest.mix(digest, failures[address] * 2L + (refused[address] ? 1 : 0));
            digest = Digest.mix(digest, Times.leftNs(freeAtNs[address], nowNs));
        }
        return digest;
    }
}
