package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;

/**
 * Path of a queue pair of the InfiniBand transport to its peer, with its timeouts (ibv_qp_attr). Stream transports have
 * none.
 *
 * @param primary address of the peer
 * @param alternate address to migrate to when the primary path fails
 * @param migration state of path migration
 * @param pkeyIndex index of the partition key
 * @param mtuBytes path MTU: 256, 512, 1024, 2048 or 4096
 * @param qkey Q_Key of datagram services
 * @param sendSequence first PSN sent
 * @param receiveSequence first PSN expected
 * @param retryCount maximum number of retransmissions of a request, 0 to 7
 * @param receiverNotReadyRetries maximum number of retries while the peer has no receive posted, 0 to 7; 7 is unlimited
 * @param ackTimeout maximum time to wait for an acknowledgement; zero is unlimited
 * @param receiverNotReadyDelay time that the peer waits before it retries when this side has no receive posted
 */
public record PathAttributes(
        AddressHandleAttributes primary,
        Optional<AddressHandleAttributes> alternate,
        PathMigration migration,
        int pkeyIndex,
        int mtuBytes,
        int qkey,
        int sendSequence,
        int receiveSequence,
        int retryCount,
        int receiverNotReadyRetries,
        Duration ackTimeout,
        Duration receiverNotReadyDelay) {

    /** A path with default values: MTU 1024, 7 retries, 67 ms, first PSNs 0. */
    public static PathAttributes to(AddressHandleAttributes primary) {
        return new PathAttributes(
                primary,
                Optional.empty(),
                PathMigration.MIGRATED,
                0,
                1024,
                0,
                0,
                0,
                7,
                7,
                Duration.ofMillis(67),
                Duration.ofMillis(1));
    }

    public PathAttributes withSequences(int send, int receive) {
        return new PathAttributes(
                primary,
                alternate,
                migration,
                pkeyIndex,
                mtuBytes,
                qkey,
                send,
                receive,
                retryCount,
                receiverNotReadyRetries,
                ackTimeout,
                receiverNotReadyDelay);
    }

    public PathAttributes withMtuBytes(int bytes) {
        return new PathAttributes(
                primary,
                alternate,
                migration,
                pkeyIndex,
                bytes,
                qkey,
                sendSequence,
                receiveSequence,
                retryCount,
                receiverNotReadyRetries,
                ackTimeout,
                receiverNotReadyDelay);
    }

    public PathAttributes withAlternate(AddressHandleAttributes path, PathMigration state) {
        return new PathAttributes(
                primary,
                Optional.of(path),
                state,
                pkeyIndex,
                mtuBytes,
                qkey,
                sendSequence,
                receiveSequence,
                retryCount,
                receiverNotReadyRetries,
                ackTimeout,
                receiverNotReadyDelay);
    }

    public PathAttributes withPartition(int newPkeyIndex, int newQkey) {
        return new PathAttributes(
                primary,
                alternate,
                migration,
                newPkeyIndex,
                mtuBytes,
                newQkey,
                sendSequence,
                receiveSequence,
                retryCount,
                receiverNotReadyRetries,
                ackTimeout,
                receiverNotReadyDelay);
    }

    public PathAttributes withPatience(
            int retries, int notReadyRetries, Duration newAckTimeout, Duration newReceiverNotReadyDelay) {
        return new PathAttributes(
                primary,
                alternate,
                migration,
                pkeyIndex,
                mtuBytes,
                qkey,
                sendSequence,
                receiveSequence,
                retries,
                notReadyRetries,
                newAckTimeout,
                newReceiverNotReadyDelay);
    }
}
