package io.verbena.tools.disk;

import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.JsonObject;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena disk resize}: a larger disk of a running server. */
@Command(
        name = "resize",
        customSynopsis = "verbena disk resize [OPTIONS] NQN SIZE",
        description = {
            "Make a disk of a running server of this user larger. Its hosts notice that at once; a file system on it grows"
                    + " with its own command, such as resize2fs. A disk cannot become smaller.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {"  verbena disk resize nqn.2026-01.org.example:a 20G"},
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it is larger", "1:there is no server or disk, or it cannot grow", "2:wrong arguments"})
public final class DiskResizeCommand extends FiguresCommand {
    @Parameters(index = "0", paramLabel = "NQN", description = "Name of the subsystem.")
    private String nqn = "";

    @Parameters(index = "1", paramLabel = "SIZE", converter = ByteSize.class, description = "The new size.")
    private long sizeBytes;

    @Option(
            names = "--disk",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of the disk. Default: ${DEFAULT-VALUE}.")
    private int namespace = 1;

    @ArgGroup(validate = false, heading = "%nServer:%n")
    private DiskServerArguments server = new DiskServerArguments();

    public DiskResizeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        DiskServerArguments.checkNumber(namespace, 1);
        server.ask(new DiskRequest.Resize(nqn, namespace, sizeBytes));
        return true;
    }
}
