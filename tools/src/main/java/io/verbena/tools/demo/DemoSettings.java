package io.verbena.tools.demo;

import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RnicOptions;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What the demo does.
 *
 * @param transfer how the file is moved
 * @param operations how messages and atomics are exchanged
 * @param timeout longest wait without progress
 * @param folder for temporary files
 * @param connection how to connect
 * @param rnic how to open the RNIC
 */
public record DemoSettings(
        Transfer transfer,
        Operations operations,
        Duration timeout,
        Path folder,
        ConnectionOptions connection,
        RnicOptions rnic) {

    /**
     * Moving the file.
     *
     * @param pieceBytes bytes of one RDMA Write or Read
     * @param depth Writes or Reads in flight
     * @param transferTime how long the file is moved repeatedly; zero for once
     */
    public record Transfer(int pieceBytes, int depth, Duration transferTime) {}

    /**
     * Messages and atomics.
     *
     * @param connections connections that execute atomics at the same time
     * @param operationTime how long messages and atomics go on
     */
    public record Operations(int connections, Duration operationTime) {}
}
