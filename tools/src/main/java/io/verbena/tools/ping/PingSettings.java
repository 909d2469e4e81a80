package io.verbena.tools.ping;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * What a ping does.
 *
 * @param size bytes that go each way in a round
 * @param count rounds the client does, 0 for no end
 * @param verify whether what came is compared with what should have
 * @param interval the client's pause between rounds
 * @param timeout longest wait within a round
 * @param idle longest wait of a server for the next round
 * @param maxOfferBytes most bytes a server takes of a client that offers more than {@code size}
 * @param maxConnections maximum number of connections of a server at the same time
 * @param totalConnections connections after which a server ends, 0 for no end
 * @param connection how to connect and accept
 */
public record PingSettings(
        int size,
        long count,
        boolean verify,
        Duration interval,
        Duration timeout,
        Duration idle,
        int maxOfferBytes,
        int maxConnections,
        long totalConnections,
        ConnectionOptions connection) {}
