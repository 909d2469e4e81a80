package io.verbena.tools.sockets;

import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.tools.command.UsageProblem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** The options of programs and proxies: those of {@link io.verbena.sockets.nio.SocketsOption} with the scope {@code ALL}. */
final class SocketsArguments {

    @Option(
            names = "--provider",
            paramLabel = "NAME",
            description = "Provider of the RNIC: auto, iwarp, shm, or roce. Default: auto.")
    private String provider = "auto";

    @Option(
            names = "--device",
            paramLabel = "ADDRESS",
            description =
                    "Provider roce: the IP address of this machine that the RNIC has. One JVM at a time can have it."
                            + " Default: the address that the first connection or server socket needs.")
    private String device = "";

    @Option(
            names = "--accept",
            paramLabel = "LIST",
            description = "Peers that may use RDMA to connect to this machine, in the form of --rdma of 'sockets run';"
                    + " 'none' for none of them. All others are connected by TCP. Default: all.")
    private Optional<String> accept = Optional.empty();

    @Option(
            names = "--buffer",
            paramLabel = "BYTES",
            description = "Size up to which the send and the receive buffer of a connection grow. Default: 524288.")
    private Optional<String> buffer = Optional.empty();

    @Option(
            names = "--patience",
            paramLabel = "MILLISECONDS",
            description = "Time within which a peer must have answered whether it uses RDMA; after that a connection is"
                    + " plain TCP. Default: 50.")
    private Optional<String> patience = Optional.empty();

    @Option(
            names = "--setup",
            paramLabel = "SECONDS",
            description = "Time within which RDMA must be set up after the peer has agreed. Default: 10.")
    private Optional<String> setup = Optional.empty();

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description = "Time for which a peer over RoCE may be silent. Default: 900.")
    private Optional<String> timeout = Optional.empty();

    @Option(
            names = "--exit",
            paramLabel = "SECONDS",
            description = "Time for which the end of the JVM waits at most for peers that do not answer. Default: 5.")
    private Optional<String> exit = Optional.empty();

    String provider() {
        return provider;
    }

    /** As the agent names them. */
    Map<String, String> named() {
        Map<String, String> named = new LinkedHashMap<>();
        named.put("provider", provider);
        if (!device.isEmpty()) {
            named.put("device", device);
        }
        accept.ifPresent(value -> named.put("accept", value.replaceAll("\\s", "")));
        buffer.ifPresent(value -> named.put("buffer", value));
        patience.ifPresent(value -> named.put("patience", value));
        setup.ifPresent(value -> named.put("setup", value));
        timeout.ifPresent(value -> named.put("timeout", value));
        exit.ifPresent(value -> named.put("exit", value));
        return named;
    }

    SocketsOptions options() throws UsageProblem {
        Map<String, String> properties = named().entrySet().stream()
                .collect(Collectors.toMap(each -> SocketsOptions.PREFIX + each.getKey(), Map.Entry::getValue));
        try {
            return SocketsOptions.of(properties);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }
}
