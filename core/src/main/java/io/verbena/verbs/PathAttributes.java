package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;

/**
 * How a queue pair of the InfiniBand transport reaches its peer and how patient it is (ibv_qp_attr). Stream transports have
 * none.
 *
 * @param primary where the peer is
 * @param alternate the path to move to when the primary fails
 * @param migration state of path migration
 * @param pkeyIndex partition
 * @param mtuBytes path MTU: 256, 512, 1024, 2048 or 4096
 * @param qkey Q_Key of datagram services
 * @param sendSequence first PSN we send
 * @param receiveSequence first PSN we expect
 * @param retryCount how often a request is sent again, 0 to 7
 * @param receiverNotReadyRetries how often when the peer has no receive, 0 to 7; 7 is for ever
 * @param ackTimeout how long to wait for an acknowledgement; zero is for ever
 * @param receiverNotReadyDelay how long our peer is to wait when we have no receive
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

    /** A path with the usual patience: MTU 1024, 7 retries, 67 ms, first PSNs 0. */
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
