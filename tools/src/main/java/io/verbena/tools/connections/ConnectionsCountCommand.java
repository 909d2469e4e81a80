package io.verbena.tools.connections;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.util.Arrays;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena connections count}: queue pairs and contexts of a mesh of programs. */
@Command(
        name = "count",
        customSynopsis = "verbena connections count [OPTIONS]",
        description = {
            "Count the queue pairs that programs on several nodes need to reach each other, and compare the"
                    + " throughput.",
            "",
            "With reliable datagrams a node has one queue pair for each of its M programs, and one end-to-end context"
                    + " for each of the N - 1 other nodes. Reliable connections between all programs need M * M * (N - 1)"
                    + " queue pairs on each node.",
            "",
            "The command opens N RNICs of the provider roce in this process, creates the queue pairs and contexts, and"
                    + " lets every program write to a program on every other node. Then the same programs write over"
                    + " reliable connections, one to each other node. One thread drives all RNICs.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena connections count                        16 programs on each of 8 nodes",
            "  verbena connections count -n 64 --rounds 0       the objects of 64 nodes, without traffic",
            "  verbena connections count --json | jq .ratio"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:all messages arrived", "1:a message failed", "2:wrong arguments"})
public final class ConnectionsCountCommand extends FiguresCommand {

    private static final int MOST_NODES = 64;
    private static final int MOST_PROGRAMS = 64;
    private static final int MOST_ROUNDS = 99;
    private static final long MOST_BYTES = 1 << 20;

    @Option(
            names = {"-m", "--programs"},
            paramLabel = "M",
            description = "Programs on each node. Default: 16.")
    private int programs = 16;

    @Option(
            names = {"-n", "--nodes"},
            paramLabel = "N",
            description = "Nodes, each with an RNIC of its own. Default: 8.")
    private int nodes = 8;

    @Option(
            names = {"-S", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description = "Bytes of a message. Default: 64K.")
    private long size = 64 << 10;

    @Option(names = "--messages", paramLabel = "N", description = "Messages of each program in a round. Default: 70.")
    private int messages = 70;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Rounds, alternately by datagrams and by connections; the medians count. 0: no traffic."
                    + " Default: 5.")
    private int rounds = 5;

    public ConnectionsCountCommand(Terminal terminal) {
        super(terminal);
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(nodes >= 2 && nodes <= MOST_NODES, "--nodes must be 2 to " + MOST_NODES + ", not " + nodes);
        check(
                programs >= 1 && programs <= MOST_PROGRAMS,
                "--programs must be 1 to " + MOST_PROGRAMS + ", not " + programs);
        check(size >= 1 && size <= MOST_BYTES, "--size must be 1 byte to " + Figures.bytes(MOST_BYTES));
        check(messages >= 1, "--messages must be 1 or more, not " + messages);
        check(rounds >= 0 && rounds <= MOST_ROUNDS, "--rounds must be 0 to " + MOST_ROUNDS + ", not " + rounds);
        try (DatagramMesh mesh = DatagramMesh.of(nodes, programs, (int) size)) {
            mesh.connectByDatagrams();
            long connections = (long) programs * programs * (nodes - 1);
            figures.put("nodes", nodes)
                    .put("programs", programs)
                    .put("queuePairs", mesh.datagramPairs())
                    .put("contexts", mesh.contexts())
                    .put("connectedQueuePairs", connections);
            say(String.format(
                    Locale.ROOT,
                    "Each of %d nodes with %d programs has%n  by reliable datagrams   %6d queue pairs and %d contexts%n"
                            + "  by connections          %6d queue pairs (%d * %d * %d)",
                    nodes,
                    programs,
                    mesh.datagramPairs(),
                    mesh.contexts(),
                    connections,
                    programs,
                    programs,
                    nodes - 1));
            if (rounds > 0) {
                mesh.connectByPairs();
                compare(mesh, figures);
            }
        }
        return true;
    }

    private void compare(DatagramMesh mesh, JsonObject figures) throws Exception {
        double[] datagrams = new double[rounds];
        double[] pairs = new double[rounds];
        mesh.run(messages, true);
        mesh.run(messages, false);
        for (int i = 0; i < rounds; i++) {
            datagrams[i] = mesh.run(messages, true);
            pairs[i] = mesh.run(messages, false);
        }
        Arrays.sort(datagrams);
        Arrays.sort(pairs);
        double byDatagrams = datagrams[rounds / 2];
        double byPairs = pairs[rounds / 2];
        figures.put("messageBytes", size)
                .put("measuredQueuePairs", mesh.connectedPairs())
                .put("datagramBytesPerSecond", byDatagrams)
                .put("connectionBytesPerSecond", byPairs)
                .put("ratio", byDatagrams / byPairs);
        say(String.format(
                Locale.ROOT,
                "Writes of %s, all nodes together, median of %d%n  by reliable datagrams   %s%n  by connections       "
                        + "   %s over %d queue pairs on each node%n  ratio                   %.2f",
                Figures.bytes(size),
                rounds,
                Figures.bytesPerSecond(byDatagrams),
                Figures.bytesPerSecond(byPairs),
                mesh.connectedPairs(),
                byDatagrams / byPairs));
    }

    private void say(String text) {
        if (!json) {
            terminal.out().println(text);
        }
    }
}
