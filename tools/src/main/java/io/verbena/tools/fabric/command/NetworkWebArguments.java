package io.verbena.tools.fabric.command;

import io.verbena.tools.base.Failure;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.observe.PageOptions;
import io.verbena.tools.observe.WebArguments;
import io.verbena.web.NetworkSource;
import io.verbena.web.WebServer;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import picocli.CommandLine.Option;

/** The option that shows the fabric of a command in a browser. */
final class NetworkWebArguments {

    private static final int NONE = -1;

    @Option(
            names = "--web",
            paramLabel = "PORT",
            arity = "0..1",
            parameterConsumer = WebArguments.Port.class,
            description =
                    "Show the fabric live in a browser, at this port of the loopback address or at a free one; the"
                            + " address, which contains a secret, is printed. Links and switches fail and return by click. The"
                            + " command then runs until Ctrl-C.")
    private int port = NONE;

    /** Whether a page was asked for. */
    boolean wanted() {
        return port != NONE;
    }

    /** Shows a network until the result is closed. */
    WebServer show(NetworkSource network, Consumer<String> note) throws Failure, UsageProblem {
        UsageProblem.check(port <= 65_535, "--web must be a port from 0 to 65535, not " + port);
        try {
            WebServer webServer = WebServer.open(PageOptions.loopback(port), List::of, network);
            note.accept("Live view: " + webServer.address());
            return webServer;
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another port with --web.", e);
        }
    }
}
