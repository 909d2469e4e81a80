package io.verbena.tools.files;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;

/**
 * How files are served.
 *
 * @param maxConnections most connections at once
 * @param setUp how long a new connection may take until its first question
 * @param idle how long a connection may ask nothing
 * @param connection how to accept
 */
public record ServeSettings(int maxConnections, Duration setUp, Duration idle, ConnectionOptions connection) {}
