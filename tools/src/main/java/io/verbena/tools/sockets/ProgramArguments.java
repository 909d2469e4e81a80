package io.verbena.tools.sockets;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of programs only: those of {@link io.verbena.sockets.nio.SocketsOption} with the scope {@code PROGRAM}. */
final class ProgramArguments {

    private static final String FLAG = "true|false";

    @Option(
            names = "--rdma",
            paramLabel = "LIST",
            description = "Peers to reach by RDMA, separated by commas: names or addresses with *, networks such as"
                    + " 10.0.0.0/8, each with :PORT if only that port is meant. List servers that also run with this"
                    + " provider. Default: none.")
    private String rdma = "";

    @Option(
            names = "--ring",
            paramLabel = FLAG,
            description =
                    "Whether channels between programs of this host are rings in shared memory, without an RNIC, if"
                            + " neither of them states false. Default: true.")
    private Optional<String> ring = Optional.empty();

    @Option(
            names = "--survive",
            paramLabel = FLAG,
            description =
                    "Whether channels over iWARP survive the end of their TCP connection, if the peer has the option as"
                            + " well. Default: false.")
    private Optional<String> survive = Optional.empty();

    @Option(
            names = "--sockets",
            paramLabel = FLAG,
            description = "Whether java.net.Socket and ServerSocket are carried, too. Default: true.")
    private Optional<String> sockets = Optional.empty();

    @Option(
            names = "--figures",
            paramLabel = FLAG,
            description = "Whether 'sockets top' shows the connections. Default: true.")
    private Optional<String> figures = Optional.empty();

    @Option(
            names = "--required",
            paramLabel = FLAG,
            description =
                    "Whether a JVM is refused in which the agent cannot work; else it runs without RDMA. Default: true.")
    private Optional<String> required = Optional.empty();

    String rdma() {
        return rdma;
    }

    /** As the agent names them. */
    Map<String, String> named() {
        Map<String, String> named = new LinkedHashMap<>();
        if (!rdma.isBlank()) {
            named.put("rdma", rdma.replaceAll("\\s", ""));
        }
        ring.ifPresent(value -> named.put("ring", value));
        survive.ifPresent(value -> named.put("survive", value));
        sockets.ifPresent(value -> named.put("sockets", value));
        figures.ifPresent(value -> named.put("figures", value));
        required.ifPresent(value -> named.put("required", value));
        return named;
    }
}
