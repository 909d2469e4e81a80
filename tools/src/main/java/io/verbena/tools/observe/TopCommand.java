package io.verbena.tools.observe;

import io.verbena.live.LiveRnics;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.TopArguments;
import io.verbena.tools.text.JsonObject;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena top}: the queue pairs of running processes in a terminal. */
@Command(
        name = "top",
        customSynopsis = "verbena top [OPTIONS] [PID]",
        description = {
            "Show the queue pairs of all processes of this user that have an RNIC, the busiest first: state, peer, bytes in both directions and"
                    + " operations per second, and requests that are not complete.",
            "",
            "On a terminal, the table is drawn again until Ctrl-C; else, or with --once, it is printed once. With --json, all"
                    + " figures are printed once, as 'verbena web' has them at /api/figures. 'verbena sockets top' shows the"
                    + " connections of NIO programs.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena top",
            "  verbena top --sort waiting --rows 5",
            "  verbena top --once 4711",
            "  verbena top --json | jq '.processes[].parts[].texts'"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was shown", "1:there is no such process", "2:wrong arguments", "130:ended by Ctrl-C"})
public final class TopCommand extends FiguresCommand {

    private final StopSignal stop;

    @Mixin
    private final TopArguments top = new TopArguments();

    @Option(
            names = "--sort",
            paramLabel = "COLUMN",
            description = "What the first queue pair has most of: ${COMPLETION-CANDIDATES}; pid, peer and state ascend."
                    + " Default: busy, bytes and operations together.")
    private PairTable.Order order = PairTable.Order.BUSY;

    @Parameters(paramLabel = "PID", arity = "0..1", description = "Show this process only.")
    private Optional<Long> pid = Optional.empty();

    public TopCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        top.checkValues();
        Moment before = read();
        if (json) {
            figures.putObjects("processes", before.json());
            return true;
        }
        PairTable table = new PairTable(terminal.columns().getAsInt(), top.rows(), order);
        top.show(terminal, stop, before, this::read, table::lines);
        return true;
    }

    private Moment read() throws IOException, Failure {
        Moment now = Moment.now(pid.map(OptionalLong::of).orElse(OptionalLong.empty()));
        if (pid.isPresent() && now.processes().isEmpty()) {
            throw new Failure(
                    "Process " + pid.get() + " shows no RNIC: it does not run, is another user's, has no RNIC open, or"
                            + " runs with -D" + LiveRnics.PROPERTY + "=false");
        }
        return now;
    }
}
