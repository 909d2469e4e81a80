package io.verbena.tools.fabric.command;

import io.verbena.tools.command.CommonArguments;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code verbena fabric}: the system area network. */
@Command(
        name = "fabric",
        description = {"Simulate a system area network: switches, adapters, links and their management.", ""},
        synopsisSubcommandLabel = "COMMAND")
public final class FabricCommand {

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli reads it
    private final CommonArguments common = new CommonArguments();
}
