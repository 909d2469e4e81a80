package io.verbena.tools.connections;

import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.CommonArguments;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.ConnectionOptions;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena connections}: the life of a connection, explained. */
@Command(
        name = "connections",
        description = {
            "Show the life of a connection frame by frame and state by state, or count what many programs need.",
            ""
        },
        synopsisSubcommandLabel = "explain|count")
public final class ConnectionsCommand {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();

    /** {@code verbena connections explain}. */
    @Command(
            name = "explain",
            customSynopsis = "verbena connections explain [OPTIONS] EVENT...",
            description = {
                "Show what a sequence of events does to a connection between two sides, A and B: every frame, the"
                        + " states of both sides, every completion and event. Real RNICs do it, in virtual time.",
                "",
                "Events of a side, here A's; b: for the other:",
                "  a:send a:write a:read a:atomic   posts that work",
                "  a:bad-key                        posts a Read with a wrong key",
                "  a:disconnect                     closes gracefully",
                "  a:error  a:close  a:shutdown     aborts; closes the queue pair; closes the RNIC",
                "  a:die  a:vanish                  its process is killed; its host vanishes without a word",
                "  a:migrate                        leaves the transport of its connection, with --survive",
                "Events of neither:",
                "  reset                            the network resets the connection",
                "  time                             a minute passes, in which keep-alive does its work",
                "With + between them events happen at the same moment.",
                ""
            },
            sortOptions = false,
            footerHeading = "%nExamples:%n",
            footer = {
                "  verbena connections explain a:send a:disconnect",
                "  verbena connections explain a:disconnect+b:disconnect     both at once",
                "  verbena connections explain a:read+b:disconnect           a Read that crosses a close",
                "  verbena connections explain a:bad-key --svg terminate.svg",
                "  verbena connections explain b:vanish",
                "  verbena connections explain --survive a:write+reset       a Write whose connection is reset and continues"
            },
            exitCodeListHeading = "%nExit codes:%n",
            exitCodeList = {"0:it was shown", "1:the picture could not be written", "2:wrong arguments"})
    public static final class Explain extends FiguresCommand {

        @Parameters(arity = "1..*", paramLabel = "EVENT", description = "What happens, one after the other.")
        private List<String> events = new ArrayList<>();

        @Option(names = "--survive", description = "The connection survives the end of its transport.")
        private boolean survive;

        @Mixin
        private final ChartArgument chart = new ChartArgument();

        public Explain(Terminal terminal) {
            super(terminal);
        }

        @Override
        public boolean run(JsonObject figures) throws Exception {
            List<List<Incident>> chapters = new ArrayList<>();
            try {
                for (String event : events) {
                    chapters.add(Incident.parse(event));
                }
            } catch (IllegalArgumentException e) {
                throw new UsageProblem(String.valueOf(e.getMessage()));
            }
            ConnectionOptions options = ConnectionOptions.defaults();
            Ladder ladder = Story.tell(chapters, survive ? options.surviving() : options);
            figures.putStrings("events", events)
                    .putStrings(
                            "ladder",
                            ladder.rungs().stream()
                                    .map(rung -> rung.kind() + " " + rung.text().replace('\t', '|'))
                                    .toList());
            if (!json) {
                terminal.out().print(LadderText.of(ladder));
            }
            chart.write(() -> LadderPicture.of(ladder, String.join(", then ", events)));
            return true;
        }
    }
}
