package io.verbena.tools.exchange;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressHandle;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.PathAttributes;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import java.net.InetAddress;
import java.util.Set;

/**
 * Moves a queue pair from RESET to RTS without a connection manager.
 *
 * @param remoteNumber queue pair number of the peer
 * @param address address of the peer
 * @param serviceLevel service level, which has no effect over UDP
 * @param mtuBytes path MTU
 * @param psns first PSNs of both sides
 * @param reads Reads and atomics in both directions
 */
public record HandMadePath(
        int remoteNumber, InetAddress address, int serviceLevel, int mtuBytes, Psns psns, Reads reads) {

    /**
     * First PSNs.
     *
     * @param sendPsn first PSN of this side
     * @param receivePsn first PSN of the peer
     */
    public record Psns(int sendPsn, int receivePsn) {}

    /**
     * Reads and atomics at a time.
     *
     * @param inboundReads Reads and atomics of the peer at a time
     * @param outboundReads Reads and atomics of this side at a time
     */
    public record Reads(int inboundReads, int outboundReads) {}

    /** To INIT, in which receives may be posted. */
    public static void initialize(QueuePair queuePair, Set<AccessRight> rights) {
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT).withRemoteRights(rights));
    }

    /** To RTR, in which requests of the peer are executed, and to RTS. */
    public void connect(QueuePair queuePair) {
        QueuePairChange depths = QueuePairChange.none().withReads(reads.inboundReads(), reads.outboundReads());
        queuePair.modify(depths.withState(InfinibandQueuePairState.RTR).withRemote(remoteNumber, path()));
        queuePair.modify(depths.withState(InfinibandQueuePairState.RTS).withRemote(remoteNumber, path()));
    }

    /**
     * The same for a datagram queue pair.
     *
     * @param qkey Q_Key of both sides
     * @return the address of the peer
     */
    public AddressHandle connectDatagrams(QueuePair queuePair, int qkey) {
        PathAttributes path = path().withPartition(0, qkey);
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTR).withRemote(0, path));
        queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.RTS).withRemote(0, path));
        return queuePair.protectionDomain().createAddressHandle(path.primary());
    }

    private PathAttributes path() {
        return PathAttributes.to(AddressHandleAttributes.to(address).withServiceLevel(serviceLevel))
                .withMtuBytes(mtuBytes)
                .withSequences(psns.sendPsn(), psns.receivePsn());
    }
}
