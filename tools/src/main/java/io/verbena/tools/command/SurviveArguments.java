package io.verbena.tools.command;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine.Option;

/** The option of commands whose connections can survive the end of their transport, and what their servers agree to. */
public final class SurviveArguments {

    /** Providers whose connections can survive; the empty name is the default one. */
    private static final Set<String> PROVIDERS = Set.of("", "auto", "iwarp", "shm");

    @Option(
            names = "--survive",
            paramLabel = "HOST[:PORT]",
            split = ",",
            description =
                    "Continue over another connection when the network fails: at the same address, and at these further addresses"
                            + " of the server, at which it has to listen as well. Not with --provider roce.")
    private List<String> addresses = List.of();

    /** Whether connections are to survive. */
    public boolean chosen() {
        return !addresses.isEmpty();
    }

    /** Checks the option against the others. */
    public void check(RnicOptions rnic, ConnectionOptions connection) throws UsageProblem {
        if (chosen()) {
            UsageProblem.check(
                    PROVIDERS.contains(rnic.provider()),
                    "--survive does not work with --provider " + rnic.provider() + "; use auto, iwarp or shm");
            UsageProblem.check(
                    connection.peerToPeer(), "--survive needs --p2p and --revision 2, which are the defaults");
            UsageProblem.check(
                    addresses.size() <= SurvivalOptions.MOST_ADDRESSES,
                    "--survive takes at most " + SurvivalOptions.MOST_ADDRESSES + " addresses");
            for (String each : addresses) {
                HostPort.parse("--survive", each, 0);
            }
        }
    }

    /**
     * The options of a connection that survives, if that was chosen.
     *
     * @param usualPort port of an address without one
     */
    public ConnectionOptions with(ConnectionOptions options, int usualPort) throws UsageProblem, Failure {
        return survival(usualPort).map(options::withSurvival).orElse(options);
    }

    /** How a connection survives, if that was chosen. */
    public Optional<SurvivalOptions> survival(int usualPort) throws UsageProblem, Failure {
        if (!chosen()) {
            return Optional.empty();
        }
        List<SocketAddress> further = new ArrayList<>();
        for (String each : addresses) {
            further.add(HostPort.parse("--survive", each, usualPort).resolve());
        }
        return Optional.of(new SurvivalOptions(further, SurvivalOptions.PATIENCE));
    }

    /**
     * The options of a server: its connections survive if the client asks for it.
     *
     * @param patience maximum time to wait for a client whose transport has failed
     */
    public static ConnectionOptions accepting(ConnectionOptions options, RnicOptions rnic, Duration patience) {
        return PROVIDERS.contains(rnic.provider())
                ? options.withSurvival(SurvivalOptions.over().withPatience(patience))
                : options;
    }
}
