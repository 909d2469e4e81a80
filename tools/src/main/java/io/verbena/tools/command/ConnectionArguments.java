package io.verbena.tools.command;

import io.verbena.verbs.ConnectionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options of a connection, the same for every command that establishes one. */
public final class ConnectionArguments {

    private static final double SILENCE_SECONDS = 10;
    private static final double SET_UP_SECONDS = 120;

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
            description =
                    "Fail when the peer does nothing for this time. Default: 10, and 120 for the set-up of a connection, as"
                            + " for TCP: a peer on a busy machine answers late.")
    private Optional<Double> timeoutSeconds = Optional.empty();

    /** The options to connect or accept with. */
    public ConnectionOptions options() throws UsageProblem {
        if (revision != 1 && revision != 2) {
            throw new UsageProblem("--revision must be 1 or 2, not " + revision);
        }
        return ConnectionOptions.defaults()
                .withPeerToPeer(peerToPeer && revision == 2)
                .withRevision(revision)
                .withTimeout(setUpTimeout());
    }

    /** Maximum duration of the set-up of a connection. */
    public Duration setUpTimeout() throws UsageProblem {
        return seconds(SET_UP_SECONDS);
    }

    /** Maximum duration of a wait. */
    public Duration timeout() throws UsageProblem {
        return seconds(SILENCE_SECONDS);
    }

    private Duration seconds(double otherwise) throws UsageProblem {
        return Seconds.of("--timeout", timeoutSeconds.orElse(otherwise), 0.001);
    }

    /** The same options for another process of this program. */
    public List<String> forPeerProcess() {
        List<String> words =
                new ArrayList<>(List.of(peerToPeer ? "--p2p" : "--no-p2p", "--revision", String.valueOf(revision)));
        timeoutSeconds.ifPresent(given -> words.addAll(List.of("--timeout", String.valueOf(given))));
        return words;
    }
}
