package io.verbena.verbs;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Changes for {@link QueuePair#modify}; empty components remain unchanged. Start from {@link #none()}.
 *
 * @param state state to move to
 * @param remoteRights new access rights of the peer on this queue pair; when {@code modify} returns, it does not use others any
 *     more, except that the answer to a Read that arrived before may still be under way. The move of an InfiniBand queue pair
 *     to RESET restores those of a new queue pair
 * @param inboundReads new IRD
 * @param outboundReads new ORD
 * @param remoteNumber InfiniBand without a connection manager: queue pair number of the peer
 * @param path InfiniBand: path to the peer, first PSNs, timeouts
 */
public record QueuePairChange(
        Optional<QueuePairState> state,
        Optional<Set<AccessRight>> remoteRights,
        OptionalInt inboundReads,
        OptionalInt outboundReads,
        OptionalInt remoteNumber,
        Optional<PathAttributes> path) {

    /** No change. */
    public static QueuePairChange none() {
        return new QueuePairChange(
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty());
    }

    /** A new state only. */
    public static QueuePairChange to(QueuePairState state) {
        return none().withState(state);
    }

    /** New access rights of the peer only. */
    public static QueuePairChange rights(Set<AccessRight> rights) {
        return none().withRemoteRights(rights);
    }

    public QueuePairChange withState(QueuePairState value) {
        return new QueuePairChange(Optional.of(value), remoteRights, inboundReads, outboundReads, remoteNumber, path);
    }

    public QueuePairChange withRemoteRights(Set<AccessRight> value) {
        return new QueuePairChange(
                state, Optional.of(Set.copyOf(value)), inboundReads, outboundReads, remoteNumber, path);
    }

    /** With new IRD and ORD. */
    public QueuePairChange withReads(int inbound, int outbound) {
        return new QueuePairChange(
                state, remoteRights, OptionalInt.of(inbound), OptionalInt.of(outbound), remoteNumber, path);
    }

    public QueuePairChange withRemote(int number, PathAttributes value) {
        return new QueuePairChange(
                state, remoteRights, inboundReads, outboundReads, OptionalInt.of(number), Optional.of(value));
    }

    /** With a path only: the Q_Key, MTU and first PSN of a datagram queue pair, or an alternate path. */
    public QueuePairChange withPath(PathAttributes value) {
        return new QueuePairChange(state, remoteRights, inboundReads, outboundReads, remoteNumber, Optional.of(value));
    }
}
