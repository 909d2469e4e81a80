package io.verbena.tools.messaging;

import io.verbena.messaging.channel.ChannelOptions;
import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.policy.Phase;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ChartArgument;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.picture.Axis;
import io.verbena.tools.picture.BarChart;
import io.verbena.tools.picture.Unit;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena channels}: measures the memory of channel buffers with and without enlargement. */
@Command(
        name = "channels",
        customSynopsis = "verbena channels [OPTIONS]",
        description = {
            "Measure the memory of channel buffers with and without enlargement.",
            "",
            "The command connects many channels on this machine, sends messages over them, and reports the memory"
                    + " registered for their buffers on both sides. A channel starts with small buffers on both sides."
                    + " When a message does not fit, the buffers are replaced by larger ones. --mix SIZE:WEIGHT,... sets"
                    + " the sizes of the messages and how often each occurs.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena channels                              1,000 connections, small messages, a few large",
            "  verbena channels --mix 8:1 --svg memory.svg   control messages only, with a chart",
            "  verbena channels --phases 500,4000,64000      three phases"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the measurement is complete", "1:a connection failed", "2:wrong arguments"})
public final class ChannelsCommand extends FiguresCommand {

    private final StopSignal stop;

    @Option(
            names = {"-n", "--connections"},
            paramLabel = "N",
            defaultValue = "1000",
            description = "Number of connections. Default: ${DEFAULT-VALUE}.")
    private int connections = 1000;

    @Option(
            names = "--messages",
            paramLabel = "N",
            defaultValue = "4",
            description = "Number of messages per connection, each sent and answered. Default: ${DEFAULT-VALUE}.")
    private int messages = 4;

    @Option(
            names = "--mix",
            paramLabel = "MIX",
            defaultValue = "8:60,100:20,600:19,12k:1",
            description = "Message sizes and their weights. Default: ${DEFAULT-VALUE}.")
    private String mix = "8";

    @Option(
            names = "--phases",
            paramLabel = "BYTES",
            split = ",",
            defaultValue = "700,16384",
            description = "Buffer payload of each enlargement phase. Default: ${DEFAULT-VALUE}.")
    private List<Integer> phases = List.of(700, 16_384);

    @Option(
            names = "--slots",
            paramLabel = "N",
            defaultValue = "4",
            description = "Number of buffers per ring. Default: 4.")
    private int slots = 4;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of the random message sizes. Default: ${DEFAULT-VALUE}.")
    private long seed = 1;

    @Mixin
    private final ChartArgument chart = new ChartArgument();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    public ChannelsCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        SizeMix sizes = sizes();
        EnlargementPolicy policy = policy();
        if (connections < 1 || connections > 20_000 || messages < 0) {
            throw new UsageProblem("--connections must be 1 to 20000 and --messages 0 or more, not " + connections
                    + " and " + messages);
        }
        if (sizes.largest() > policy.lastPayloadBytes()) {
            throw new UsageProblem("the mix has messages of " + sizes.largest() + " bytes, and the largest phase has "
                    + policy.lastPayloadBytes());
        }
        chart.checkWritable();
        ChannelMemory measurement = new ChannelMemory(
                options(policy), (what, count) -> terminal.bar(stop, quiet.quiet(), what, count), stop);
        List<ChannelMemory.Row> rows = measurement.measure(connections, messages, sizes, new Random(seed));
        figures.put("connections", connections)
                .put("slots", slots)
                .put("mix", sizes.toString())
                .putStrings("phases", phases.stream().map(String::valueOf).toList())
                .putObjects(
                        "bytesPerConnection",
                        rows.stream()
                                .map(row -> new JsonObject()
                                        .put("name", row.name())
                                        .put("bytes", Math.round(row.bytes()))
                                        .put("remark", row.remark()))
                                .toList());
        if (!json) {
            print(rows);
        }
        chart.write(() -> chart(rows).toSvg());
        return true;
    }

    private SizeMix sizes() throws UsageProblem {
        try {
            return new SizeMix(mix);
        } catch (Failure e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private EnlargementPolicy policy() throws UsageProblem {
        try {
            return EnlargementPolicy.of(phases.stream().map(Phase::of).toArray(Phase[]::new));
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private ChannelOptions options(EnlargementPolicy policy) throws UsageProblem {
        try {
            return ChannelOptions.defaults()
                    .withPolicy(policy)
                    .withSlots(slots)
                    .withMemory(64L << 30, policy.lastPayloadBytes());
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private void print(List<ChannelMemory.Row> rows) {
        terminal.out()
                .println("Memory for buffers per connection, both sides together; " + Figures.count(connections)
                        + " connections, " + slots + " buffers a ring, phases " + phases + " B:");
        for (ChannelMemory.Row row : rows) {
            terminal.out()
                    .println(String.format(
                            Locale.ROOT, "  %-38s %8.1f KiB   %s", row.name(), row.bytes() / 1024, row.remark()));
        }
    }

    private BarChart chart(List<ChannelMemory.Row> rows) {
        List<BarChart.Group> groups = rows.stream()
                .map(row -> new BarChart.Group(row.name(), List.of(BarChart.Bar.of(row.bytes()))))
                .toList();
        return new BarChart(
                "Memory for buffers per connection, both sides",
                Figures.count(connections) + " connections, " + slots + " buffers a ring",
                List.of("registered bytes"),
                groups,
                Axis.linear("bytes", Unit.BYTES),
                Optional.empty());
    }
}
