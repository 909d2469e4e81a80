package io.verbena.tools.command;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Option;

/** Options of a connection, the same for every command that establishes one. */
public final class ConnectionArguments {

    @Option(
            names = "--p2p",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Request peer-to-peer mode (RFC 6581), in which either side may send first. Default:" + " on.")
    private boolean peerToPeer = true;

    @Option(
            names = "--revision",
            paramLabel = "1|2",
            defaultValue = "2",
            description =
                    "MPA revision to request; 1 is for old peers, some of which do not support Reads with it. Default:"
                            + " ${DEFAULT-VALUE}.")
    private int revision = 2;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "Fail when the peer does nothing for this time. Default: ${DEFAULT-VALUE}.")
    private double timeoutSeconds = 10;

    /** The options to connect or accept with. */
    public ConnectionOptions options() throws UsageProblem {
        if (revision != 1 && revision != 2) {
            throw new UsageProblem("--revision must be 1 or 2, not " + revision);
        }
        return ConnectionOptions.defaults()
                .withPeerToPeer(peerToPeer && revision == 2)
                .withRevision(revision)
                .withTimeout(timeout());
    }

    /** Maximum duration of a wait. */
    public Duration timeout() throws UsageProblem {
        return Seconds.of("--timeout", timeoutSeconds, 0.001);
    }

    /** The same options for another process of this program. */
    public List<String> forPeerProcess() {
        return List.of(
                peerToPeer ? "--p2p" : "--no-p2p",
                "--revision",
                String.valueOf(revision),
                "--timeout",
                String.valueOf(timeoutSeconds));
    }
}
