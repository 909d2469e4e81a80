package io.verbena.tools.ping;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * What a ping does.
 *
 * @param rounds the rounds
 * @param waits longest waits
 * @param admission what a server admits
 * @param connection how to connect and accept
 */
public record PingSettings(Rounds rounds, Waits waits, Admission admission, ConnectionOptions connection) {

    /**
     * The rounds of a client.
     *
     * @param size bytes that go each way in a round
     * @param count rounds the client does, 0 for no end
     * @param verify whether what came is compared with what should have
     * @param interval the client's pause between rounds
     */
    public record Rounds(int size, long count, boolean verify, Duration interval) {}

    /**
     * Longest waits.
     *
     * @param timeout longest wait within a round
     * @param idle longest wait of a server for the next round
     */
    public record Waits(Duration timeout, Duration idle) {}

    /**
     * What a server admits.
     *
     * @param maxOfferBytes most bytes a server takes of a client that offers more than {@code size}
     * @param maxConnections maximum number of connections of a server at the same time
     * @param totalConnections connections after which a server ends, 0 for no end
     */
    public record Admission(int maxOfferBytes, int maxConnections, long totalConnections) {}
}
