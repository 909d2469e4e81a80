package io.verbena.tools;

import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ExitCode;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.ManualPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena manuals}: writes the shell completion and a manual page for each command. Packages of the command line contain both. */
@Command(
        name = "manuals",
        hidden = true,
        description = {"Write the completion for bash and zsh, and a manual page for each command.", ""},
        sortOptions = false)
final class ManualsCommand implements Callable<Integer> {

    private final Terminal terminal;
    private final StopSignal stop;

    @Option(names = "--completion", paramLabel = "FILE", required = true, description = "File for the completion.")
    private Path completion = Path.of("");

    @Option(names = "--man", paramLabel = "FOLDER", required = true, description = "Folder for the manual pages.")
    private Path folder = Path.of("");

    ManualsCommand(Terminal terminal, StopSignal stop) {
        this.terminal = terminal;
        this.stop = stop;
    }

    @Override
    public Integer call() throws IOException {
        CommandLine root = Verbena.commandLine(terminal, stop);
        Files.writeString(completion, ShellCompletion.of(root));
        write(root);
        return ExitCode.OK;
    }

    private void write(CommandLine command) throws IOException {
        if (command.getCommandSpec().usageMessage().hidden()) {
            return;
        }
        String name = command.getCommandSpec().qualifiedName("-");
        Files.writeString(folder.resolve(name + ".1"), new ManualPage(command, VersionText.version()).text());
        for (CommandLine each : command.getSubcommands().values()) {
            write(each);
        }
    }
}
