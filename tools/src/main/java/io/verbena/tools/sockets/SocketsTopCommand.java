package io.verbena.tools.sockets;

import io.verbena.live.LiveProcesses;
import io.verbena.sockets.nio.ProcessFigures;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.TopArguments;
import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code verbena sockets top}: the connections of running programs. */
@Command(
        name = "top",
        customSynopsis = "verbena sockets top [OPTIONS] [PID]",
        description = {
            "Show the connections of the programs of this user that run with the provider of channels, the busiest first:"
                    + " what carries them, the bytes in both directions per second, how often there was no space to write,"
                    + " and how far their buffers have grown.",
            "",
            "On a terminal, the table is drawn again until Ctrl-C; else it is printed once. Programs that have the agent, or"
                    + " run by 'verbena sockets run', are shown unless they have the option figures=false.",
            "With --json, all figures since the connections were made are printed once.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena sockets top",
            "  verbena sockets top 4711 --interval 5 --count 12      a minute of one process",
            "  verbena sockets top --json | jq '.processes[].connections[].transport'"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was shown", "1:there is no such process", "2:wrong arguments"})
public final class SocketsTopCommand extends FiguresCommand {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final StopSignal stop;

    @Mixin
    private final TopArguments top = new TopArguments();

    @Parameters(paramLabel = "PID", arity = "0..1", description = "Show this process only.")
    private Optional<Long> pid = Optional.empty();

    public SocketsTopCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        top.checkValues();
        Snapshot before = read();
        if (json) {
            figures.putObjects("processes", before.json());
            return true;
        }
        TopTable table = new TopTable(terminal.columns().getAsInt(), top.rows());
        top.show(terminal, stop, before, this::read, table::lines);
        return true;
    }

    private Snapshot read() throws IOException, Failure {
        SortedMap<Long, ProcessFigures> processes = new TreeMap<>();
        for (Map.Entry<Long, String> text :
                LiveProcesses.ask(ProcessFigures.KIND, "", PATIENCE).entrySet()) {
            if (pid.isEmpty() || pid.get().equals(text.getKey())) {
                ProcessFigures.of(text.getValue()).ifPresent(figures -> processes.put(text.getKey(), figures));
            }
        }
        if (pid.isPresent() && processes.isEmpty()) {
            throw new Failure("Process " + pid.get() + " shows no sockets: it does not run, is another user's, or runs"
                    + " without 'verbena sockets run'");
        }
        return new Snapshot(System.nanoTime(), processes);
    }
}
