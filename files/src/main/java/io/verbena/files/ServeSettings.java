package io.verbena.files;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * The settings of a server.
 *
 * @param maxConnections maximum number of connections
 * @param setUp maximum time from a connection request to the first question
 * @param idle maximum time between two questions
 * @param connection options of each connection
 */
public record ServeSettings(int maxConnections, Duration setUp, Duration idle, ConnectionOptions connection) {

    /** Settings for a server; times are limited to what a nanosecond clock can count. */
    public ServeSettings {
        setUp = CopySettings.bounded(setUp);
        idle = CopySettings.bounded(idle);
    }
}
