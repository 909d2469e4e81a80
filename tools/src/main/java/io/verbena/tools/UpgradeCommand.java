package io.verbena.tools;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.connections.Upgrade;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.RnicProvider;
import io.verbena.verbs.TransportType;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena upgrade}: shows a TCP connection that is converted to RDMA. */
@Command(
        name = "upgrade",
        customSynopsis = "verbena upgrade [OPTIONS]",
        description = {
            "Convert a TCP connection to RDMA in the middle of a chat.",
            "",
            "The chat starts over a plain TCP connection, continues by RDMA on the same connection, and closes gracefully. Both"
                    + " ends are in this process and use the loopback interface.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena upgrade                          convert the connection",
            "  verbena upgrade --decline                the peer declines, and the chat continues over TCP",
            "  verbena upgrade --capture chat.pcapng    record the frames of one side"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the chat was completed", "1:the chat failed", "2:wrong arguments"})
final class UpgradeCommand extends FiguresCommand {

    @Option(
            names = "--decline",
            description = "The peer declines the conversion, and the stream remains usable for TCP.")
    private boolean declined;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli fills it
    private final RnicArguments rnicArguments = new RnicArguments();

    UpgradeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnicArguments.options();
        TransportType transport =
                RnicProvider.named(options.provider()).describe(options).transport();
        check(
                transport == TransportType.IWARP || transport == TransportType.SHARED_MEMORY,
                "A TCP connection can be converted to iWARP only, and the provider " + options.provider()
                        + " has another transport: leave --provider out, or use --provider iwarp");
        try (Rnic here = Rnic.open(options);
                Rnic there = Rnic.open()) {
            Upgrade.Figures found = Upgrade.run(here, there, declined, this::say);
            figures.put("connectNs", found.connectNs())
                    .put("switchNs", found.switchNs())
                    .put("rdma", found.rdma())
                    .put("closedInGoodOrder", found.closedInGoodOrder());
            say("TCP connected in " + found.connectNs() / 1000 + " µs; the switch took " + found.switchNs() / 1000
                    + " µs: one round trip, and code that runs for the first time.");
            return found.closedInGoodOrder();
        }
    }

    private void say(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }
}
