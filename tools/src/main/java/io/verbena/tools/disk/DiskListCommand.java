package io.verbena.tools.disk;

import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code verbena disk list}: the disks of the running servers, and the hosts that use them. */
@Command(
        name = "list",
        customSynopsis = "verbena disk list [OPTIONS]",
        description = {
            "Show the running servers of this user with their disks, and the hosts with their queues: commands, bytes,"
                    + " latencies and depths since they began.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena disk list", "  verbena disk list --json | jq '.servers[].disks[].nqn'"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:they are shown", "1:they cannot be read", "2:wrong arguments"})
public final class DiskListCommand extends FiguresCommand {
    public DiskListCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        List<JsonObject> servers = new ArrayList<>();
        for (Map.Entry<Long, List<Map<String, String>>> each :
                DiskControl.show().entrySet()) {
            servers.add(DiskRows.json(new JsonObject().put("pid", each.getKey()), each.getValue()));
            if (!json) {
                terminal.tell("Process " + each.getKey() + ": ");
                DiskRows.text(each.getValue()).forEach(terminal::tell);
            }
        }
        figures.putObjects("servers", servers);
        if (servers.isEmpty() && !json) {
            terminal.say("No server of this user runs.");
        }
        return true;
    }
}
