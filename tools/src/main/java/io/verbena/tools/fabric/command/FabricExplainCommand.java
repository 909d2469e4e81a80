package io.verbena.tools.fabric.command;

import io.verbena.fabric.topology.AdapterKind;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.Transaction;
import io.verbena.tools.fabric.TransactionPicture;
import io.verbena.tools.fabric.TransactionText;
import io.verbena.tools.text.JsonObject;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena fabric explain}: one message, frame by frame and flit by flit. */
@Command(
        name = "explain",
        customSynopsis = "verbena fabric explain [OPTIONS]",
        description = {
            "Send one message of a reliable connection over two switches and show everything that happens: how the"
                    + " buffers of the gather list become frames and flits, how each frame is acknowledged, and each flit"
                    + " on each link, with the credits and acknowledgements of the links.",
            "",
            "The frames and flits are those of the simulation: 100 Gb/s links of 3 m, switches that need 100 ns.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric explain",
            "  verbena fabric explain --svg message.svg",
            "  verbena fabric explain --receiver low-end          software acknowledges the frames",
            "  verbena fabric explain --errors 0.1 --seed 2      a damaged flit is sent again"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:shown", "1:the picture cannot be written", "2:wrong arguments"})
public final class FabricExplainCommand extends FiguresCommand {

    private static final double MOST_ERRORS = .5;

    @Option(
            names = "--parts",
            split = ",",
            paramLabel = "BYTES",
            description = "Lengths of the buffers of the gather list, 1 to 16 of them. Default: 160,120,88,80.")
    private List<Integer> parts = Transaction.Setting.DEFAULT.parts();

    @Option(
            names = "--payload",
            paramLabel = "BYTES",
            description =
                    "Bytes of the message in each frame, 1 to 4096. Default: 224, which makes four flits of a frame.")
    private int payload = Transaction.Setting.DEFAULT.payload();

    @Option(
            names = "--errors",
            paramLabel = "RATE",
            description = "Probability that a flit is damaged, up to 0.5. Default: 0.")
    private double errors;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the errors. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--receiver",
            paramLabel = "KIND",
            description =
                    "The adapter that receives the message: host, io or low-end, whose software executes the network"
                            + " and transport layers. Default: host.")
    private String receiver = AdapterKind.HOST.toString();

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    public FabricExplainCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        if (!(errors >= 0 && errors <= MOST_ERRORS)) {
            throw new UsageProblem("--errors must be 0 to 0.5, not " + errors);
        }
        AdapterKind kind = AdapterKind.named(receiver)
                .orElseThrow(() -> new UsageProblem("--receiver must be host, io or low-end, not '" + receiver + "'"));
        Transaction transaction;
        try {
            transaction = Transaction.run(new Transaction.Setting(parts, payload, errors, seed, kind));
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
        figures.put("messageBytes", transaction.setting().length())
                .put("frames", transaction.frames().size())
                .put("flits", transaction.flits().size())
                .put(
                        "flitsDamaged",
                        transaction.flits().stream()
                                .filter(flit -> flit.sent().damaged())
                                .count())
                .put("completedNs", transaction.completedNs());
        if (!json) {
            TransactionText.of(transaction).forEach(terminal::tell);
        }
        chart.write(() -> TransactionPicture.draw(transaction));
        return true;
    }
}
