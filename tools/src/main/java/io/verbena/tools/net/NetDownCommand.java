package io.verbena.tools.net;

import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.TcpCarrier;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena net down}: removes a network device. */
@Command(
        name = "down",
        customSynopsis = "verbena net down [OPTIONS] [NAME]",
        description = {
            "Remove a network device that 'verbena net up' has created, and print the commands of iproute2 that do it.",
            "",
            "Connections through the device end with an error. The RNIC that used it continues, without connections.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena net down", "  verbena net down verbena1", "  verbena net down --namespace lab"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the device is removed", "1:a command failed", "2:wrong arguments"})
public final class NetDownCommand extends FiguresCommand {

    @Parameters(arity = "0..1", paramLabel = "NAME", description = "Name of the device. Default: verbena0.")
    private String name = TcpCarrier.DEFAULT_DEVICE;

    @Option(
            names = "--namespace",
            paramLabel = "NAME",
            description = "The network namespace that contains the device; it is removed, too.")
    private Optional<String> namespace = Optional.empty();

    @Option(names = "--dry-run", description = "Print the commands and run none.")
    private boolean dryRun;

    public NetDownCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        DevicePlan plan = new DevicePlan(name, "tun", "", 0, Optional.empty(), namespace);
        new DeviceCommands(line -> terminal.say("+ " + line), dryRun).run(plan.down());
        figures.put("device", name);
        return true;
    }
}
