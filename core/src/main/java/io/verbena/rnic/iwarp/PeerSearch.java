package io.verbena.rnic.iwarp;

import io.verbena.base.Digest;
import io.verbena.base.Times;
import io.verbena.verbs.SurvivalOptions;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;

/**
 * How long a side of a connection that survives looks for its peer after the end of a transport, where that is less
 * than the patience of the association.
 *
 * <pre>
 *   the connection was being closed                         closeTimeout: the peer may be gone
 *   the process of the peer has probably ended, because     exitPatience
 *     the peer makes all attempts, and its stream has ended as that of a killed process
 *     or all addresses of the peer refuse connections
 * </pre>
 */
final class PeerSearch {

    /** Number of addresses of the peer; 0 if the peer makes all attempts. */
    private final int addresses;

    private final Duration exitPatience;
    private final long closeNs;

    private CloseProgress progress = CloseProgress.OPEN;
    private long closeByNs = Times.NEVER;
    private long exitByNs = Times.NEVER;

    /** The addresses that have refused the last attempt. */
    private final BitSet refused = new BitSet();

    PeerSearch(int addresses, SurvivalOptions options, Duration closeTimeout) {
        this.addresses = addresses;
        exitPatience = options.exitPatience();
        closeNs = Times.nanos(closeTimeout);
    }

    /**
     * The transport has ended.
     *
     * @param exited whether its stream has ended as the system ends that of a killed process
     * @param reached how far the close had come
     */
    void begin(boolean exited, CloseProgress reached, long nowNs) {
        progress = reached;
        closeByNs = reached == CloseProgress.OPEN ? Times.NEVER : Times.after(nowNs, closeNs);
        exitByNs = exited && addresses == 0 ? exitNs(nowNs) : Times.NEVER;
    }

    /** An attempt at an address has failed. */
    void onFailure(int address, boolean refusedByHost, long nowNs) {
        refused.set(address, refusedByHost);
        if (refused.cardinality() < addresses) {
            exitByNs = Times.NEVER;
        } else if (exitByNs == Times.NEVER) {
            exitByNs = exitNs(nowNs);
        }
    }

    private long exitNs(long nowNs) {
        return Times.after(nowNs, Times.nanos(exitPatience));
    }

    /** The peer is found. */
    void end() {
        progress = CloseProgress.OPEN;
        closeByNs = Times.NEVER;
        exitByNs = Times.NEVER;
        refused.clear();
    }

    /** Whether both sides had closed the connection: not to find the peer is no error. */
    boolean bothComplete() {
        return progress == CloseProgress.BOTH_COMPLETE;
    }

    /** When the search ends; {@link Times#NEVER} if nothing limits it here. */
    long deadlineNs() {
        return Times.earlier(closeByNs, exitByNs);
    }

    /** Why the search is over, for people; empty while it is not. */
    Optional<String> over(long nowNs) {
        if (Times.due(closeByNs, nowNs)) {
            return Optional.of("The transport failed during the close, and the peer has not been reached since.");
        }
        if (!Times.due(exitByNs, nowNs)) {
            return Optional.empty();
        }
        String time = Times.text(exitPatience);
        return Optional.of("The process of the peer has probably ended: "
                + (addresses == 0
                        ? "its stream has ended as that of a killed process, and it has not connected again within "
                                + time
                        : "all its addresses have refused connections for " + time)
                + ".");
    }

    long stateDigest(long nowNs) {
        long digest = Digest.mix(refused.hashCode(), progress.ordinal());
        return Digest.mix(Digest.mix(digest, Times.leftNs(closeByNs, nowNs)), Times.leftNs(exitByNs, nowNs));
    }
}
