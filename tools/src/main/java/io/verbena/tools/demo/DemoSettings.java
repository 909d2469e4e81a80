package io.verbena.tools.demo;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RnicOptions;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the demo does.
 *
 * @param pieceBytes bytes of one RDMA Write or Read
 * @param depth Writes or Reads in flight
 * @param connections connections that execute atomics at the same time
 * @param transferTime how long the file is moved repeatedly; zero for once
 * @param operationTime how long messages and atomics go on
 * @param timeout longest wait without progress
 * @param folder for temporary files
 * @param connection how to connect
 * @param rnic how to open the RNIC
 */
public record DemoSettings(
        int pieceBytes,
        int depth,
        int connections,
        Duration transferTime,
        Duration operationTime,
        Duration timeout,
        Path folder,
        ConnectionOptions connection,
        RnicOptions rnic) {}
