package io.verbena.tools.disk;

import io.verbena.storage.host.DiscoveryRecord;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena disk discover}: what a server offers. */
@Command(
        name = "discover",
        customSynopsis = "verbena disk discover [OPTIONS] HOST[:PORT]",
        description = {
            "List the subsystems that a server offers to this host, such as Linux's nvmet or 'verbena disk serve'.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena disk discover 192.0.2.7"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:they are listed", "1:the server did not answer", "2:wrong arguments"})
public final class DiskDiscoverCommand extends FiguresCommand {
    @Mixin
    private DiskHostArguments host = new DiskHostArguments();

    public DiskDiscoverCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        List<DiscoveryRecord> records = host.discover(terminal);
        figures.putObjects(
                "subsystems",
                records.stream()
                        .map(each -> new JsonObject()
                                .put("nqn", each.subsystem())
                                .put("address", each.address())
                                .put("port", each.service()))
                        .toList());
        if (!json) {
            records.forEach(
                    each -> terminal.tell(each.subsystem() + "  " + each.address() + ", port " + each.service()));
        }
        return true;
    }
}
