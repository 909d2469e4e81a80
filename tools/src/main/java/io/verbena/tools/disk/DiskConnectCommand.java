package io.verbena.tools.disk;

import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena disk connect}: the disks of a subsystem. */
@Command(
        name = "connect",
        customSynopsis = "verbena disk connect [OPTIONS] HOST[:PORT]",
        description = {"Connect to a subsystem, show its disks, and disconnect.", ""},
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena disk connect 192.0.2.7 --json"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:they are shown", "1:the server did not answer, or refused", "2:wrong arguments"})
public final class DiskConnectCommand extends FiguresCommand {
    @Mixin
    private DiskHostArguments host = new DiskHostArguments();

    public DiskConnectCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        try (DiskClient client = host.connect(terminal)) {
            List<Disk> disks = client.disks();
            figures.putObjects(
                    "disks",
                    disks.stream()
                            .map(disk -> new JsonObject()
                                    .put("namespace", disk.number())
                                    .put("bytes", disk.bytes())
                                    .put("blockBytes", disk.blockBytes())
                                    .put("readOnly", disk.readOnly())
                                    .put("uuid", disk.uuid().toString()))
                            .toList());
            if (!json) {
                disks.forEach(disk -> terminal.tell("disk " + disk.number() + "  " + Figures.bytes(disk.bytes())
                        + " in blocks of " + disk.blockBytes() + " B" + (disk.readOnly() ? ", read-only" : "")
                        + "  UUID " + disk.uuid()));
            }
        }
        return true;
    }
}
