package io.verbena.tools.observe;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Figures;
import io.verbena.web.WebServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena web}: the RNICs of running processes in a browser. */
@Command(
        name = "web",
        description = {
            "Show the RNICs of the processes of this user live in a browser: engines, queue pairs and connections, CQs,"
                    + " listeners and events.",
            "",
            "Every process that has an RNIC is found, whenever it is started. The same figures are at"
                    + " /api/figures as JSON and at /metrics for Prometheus. Only this host can connect, and only with the"
                    + " secret in the address.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena web                     print an address, to be opened in a browser",
            "  verbena web --port 7180         at this port",
            "  verbena serve -e FILE --web     the page of one process, in that process"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:the port cannot be used", "2:wrong arguments", "130:ended by Ctrl-C"})
public final class WebCommand extends FiguresCommand {

    private static final long SLICE_MS = 50;

    private final StopSignal stop;

    @Option(names = "--port", paramLabel = "PORT", description = "Port of the page. Default: a free one.")
    private int port;

    public WebCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(port >= 0 && port <= 65_535, "--port must be 0 to 65535, not " + port);
        try (WebServer server = WebServer.open(PageOptions.loopback(port), WebCommand::processes)) {
            figures.put("address", server.address().toString());
            terminal.say("Live view: " + server.address());
            stop.onServing();
            while (!stop.raised()) {
                TimeUnit.MILLISECONDS.sleep(SLICE_MS);
            }
            terminal.say("Stopped.");
        } catch (IOException e) {
            throw new Failure(Problems.sentence(e) + " Choose another port with --port.", e);
        }
        return true;
    }

    private static List<Figures> processes() {
        try {
            return Observation.others();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
