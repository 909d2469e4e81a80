package io.verbena.tools;

import io.verbena.tools.connections.Upgrade;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Rnic;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena upgrade}: a chat over TCP that turns into RDMA. */
@Command(
        name = "upgrade",
        customSynopsis = "verbena upgrade [OPTIONS]",
        description = {
            "Watch a chat over a plain TCP connection turn into RDMA in the middle of the conversation, on the same"
                    + " connection, and close in good order. Both ends are in this process, over the loopback interface.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena upgrade                          see it",
            "  verbena upgrade --decline                the other side says no, and the chat goes on over TCP",
            "  verbena upgrade --capture chat.pcapng    with a capture of one side"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the chat came to its end", "1:it did not", "2:wrong arguments"})
final class UpgradeCommand extends FiguresCommand {

    @Option(names = "--decline", description = "The other side turns the switch down: the stream comes back, usable.")
    private boolean declined;

    @Mixin
    @SuppressWarnings("UnusedVariable") // picocli fills it
    private final RnicArguments rnicArguments = new RnicArguments();

    UpgradeCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        try (Rnic here = Rnic.open(rnicArguments.options());
                Rnic there = Rnic.open()) {
            Upgrade.Figures found = Upgrade.run(here, there, declined, this::say);
            figures.put("connectNs", found.connectNs())
                    .put("switchNs", found.switchNs())
                    .put("rdma", found.rdma())
                    .put("closedInGoodOrder", found.closedInGoodOrder());
            say("TCP connected in " + found.connectNs() / 1000 + " us; the switch took " + found.switchNs() / 1000
                    + " us: one round trip, and code that runs for the first time.");
            return found.closedInGoodOrder();
        }
    }

    private void say(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }
}
