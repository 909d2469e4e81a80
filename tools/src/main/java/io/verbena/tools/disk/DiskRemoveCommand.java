package io.verbena.tools.disk;

import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena disk remove}: one disk less of a running server. */
@Command(
        name = "remove",
        customSynopsis = "verbena disk remove [OPTIONS] NQN",
        description = {
            "Remove a subsystem, or one of its disks, from a running server of this user. Its hosts lose the disk, other hosts"
                    + " are not affected. The file remains.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena disk remove nqn.2026-01.org.example:a",
            "  verbena disk remove nqn.2026-01.org.example:a --disk 2"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it is removed", "1:there is no server or disk", "2:wrong arguments"})
public final class DiskRemoveCommand extends FiguresCommand {
    @Parameters(paramLabel = "NQN", description = "Name of the subsystem.")
    private String nqn = "";

    @Option(
            names = "--disk",
            paramLabel = "N",
            defaultValue = "0",
            description = "Number of the disk. Default: all, and the subsystem.")
    private int namespace;

    @ArgGroup(validate = false, heading = "%nServer:%n")
    private DiskServerArguments server = new DiskServerArguments();

    public DiskRemoveCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        DiskServerArguments.checkNumber(namespace, 0);
        server.ask(new DiskRequest.Remove(nqn, namespace));
        return true;
    }
}
