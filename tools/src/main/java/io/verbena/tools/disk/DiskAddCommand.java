package io.verbena.tools.disk;

import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena disk add}: one disk more of a running server. */
@Command(
        name = "add",
        customSynopsis = "verbena disk add [OPTIONS] FILE[:SIZE]",
        description = {
            "Add a disk to a running server of this user. If there is a subsystem of the name, the disk is added to it and its"
                    + " hosts notice that; else it gets a new one. Other hosts and disks are not affected.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena disk add more.img:1G",
            "  verbena disk add a.img:1G --nqn nqn.2026-01.org.example:a",
            "  verbena disk add b.img --visible-to nqn.2014-08.org.example:host1"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the disk is served", "1:there is no server, or it refused", "2:wrong arguments"})
public final class DiskAddCommand extends FiguresCommand {
    @Parameters(paramLabel = "FILE[:SIZE]", description = "The disk.")
    private String file = "";

    @ArgGroup(validate = false, heading = "%nDisk:%n")
    private DiskArguments disk = new DiskArguments();

    @Option(
            names = "--uuid",
            paramLabel = "UUID",
            description =
                    "Name of the disk, by which hosts find it again. Default: the one in FILE.identity, which is created.")
    private Optional<UUID> uuid = Optional.empty();

    @Option(
            names = "--visible-to",
            paramLabel = "HOSTNQN",
            description = "Of the hosts that may connect, only the one with this name sees the disk. May be repeated."
                    + " Default: all.")
    private List<String> visibleTo = new ArrayList<>();

    @ArgGroup(validate = false, heading = "%nServer:%n")
    private DiskServerArguments server = new DiskServerArguments();

    public DiskAddCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        for (String host : visibleTo) {
            DiskArguments.checkName("--visible-to", host, false);
        }
        DiskPlan plan = disk.plan(file).absolute();
        DiskRequest request = new DiskRequest.Add(disk.subsystem(), plan, uuid, Set.copyOf(visibleTo));
        for (Map<String, String> row : server.ask(request)) {
            row.forEach(figures::put);
            if (!json) {
                terminal.tell("Disk " + row.get("namespace") + " of " + row.get("nqn") + " at " + row.get("address")
                        + ", UUID " + row.get("uuid"));
                terminal.tell("The server has this disk until it ends. To have it after a restart, add " + file
                        + " to the command line of 'verbena disk serve', with --nqn and --allow as here;"
                        + " otherwise hosts that use it give up.");
            }
        }
        if (plan.restBytes() != 0) {
            terminal.say(plan.restText());
        }
        return true;
    }
}
