package io.verbena.tools.fabric.command;

import io.verbena.fabric.endnode.San;
import io.verbena.fabric.manager.SubnetManager;
import io.verbena.fabric.topology.AdapterKind;
import io.verbena.fabric.traffic.Latencies;
import io.verbena.messaging.Communicator;
import io.verbena.messaging.MessagingOptions;
import io.verbena.messaging.Ranks;
import io.verbena.messaging.channel.MessagingException;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.fabric.FaultSchedule;
import io.verbena.tools.fabric.RankProgram;
import io.verbena.tools.fabric.SanDisks;
import io.verbena.tools.fabric.SanRanks;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena fabric program}: ranks of messaging and disks on the endnodes of a simulated fabric. */
@Command(
        name = "program",
        customSynopsis = "verbena fabric program [OPTIONS] PROGRAM TOPOLOGY",
        description = {
            "Run a program on the endnodes of a simulated fabric, in virtual time: collectives and messages between"
                    + " ranks, or block I/O. Programs and libraries are those of real networks; what arrives is verified."
                    + " Two runs of a seed are equal.",
            "",
            "Programs:",
            "  barrier       ranks wait for each other",
            "  broadcast     ranks broadcast in turn",
            "  ring          each rank sends to the next one and receives from the one before it",
            "  all-to-all    each rank sends to all others",
            "  disk          an endnode writes blocks to disks at others (NVMe over Fabrics)",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena fabric program all-to-all fat-tree:4 --size 64k",
            "  verbena fabric program broadcast torus:4x4 --errors 1e-4 --json",
            "  verbena fabric program ring leaf-spine:2x2 --manager up_down --fault '50 down spine-0'",
            "  verbena fabric program disk machine-room --disk raid --disk 'io1 card-2' --adapter 'low-end io1'"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the program ended and everything was correct",
            "1:it did not, or a file cannot be read",
            "2:wrong arguments"
        })
public final class FabricProgramCommand extends FiguresCommand {

    private static final String DISK = "disk";
    private static final int MOST_RANKS = 512;

    /** Writes under way to each disk. */
    private static final int DISK_DEPTH = 4;

    private static final long STEP_NS = 100_000;
    private static final long NS_PER_MICROSECOND = 1_000;

    private final StopSignal stop;

    @Parameters(index = "0", paramLabel = "PROGRAM", description = "barrier, broadcast, ring, all-to-all or disk.")
    private String program = "";

    @Mixin
    private SanArguments network = new SanArguments();

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of ranks, or of disks and the endnode that writes to them. Default: all, at most 32.")
    private int nodes;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            description = "Length of a message, 8 to 16 MiB. Default: 4k. A block of a disk has 64 KiB.")
    private long bytes = 4 << 10;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "Times that the operation is repeated; blocks for each disk. Default: 16.")
    private int rounds = 16;

    @Option(
            names = "--disk",
            paramLabel = "NODE",
            description =
                    "Endnode with a disk; may be repeated. Default: all but the first. The first endnode without a disk"
                            + " writes.")
    private List<String> disks = new ArrayList<>();

    @Option(
            names = "--time",
            paramLabel = "MICROSECONDS",
            description = "Most virtual time that the program may wait for one operation. Default: 100000.")
    private long microseconds = 100_000;

    public FabricProgramCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        UsageProblem.check(
                microseconds >= 1 && microseconds <= 1_000_000_000,
                "--time must be 1 to 1000000000 microseconds, not " + microseconds);
        UsageProblem.check(rounds >= 1 && rounds <= 1_000_000, "--rounds must be 1 to 1000000, not " + rounds);
        UsageProblem.check(
                bytes >= Long.BYTES && bytes <= 16 << 20, "--size must be 8 to 16 MiB, not " + Figures.bytes(bytes));
        try (San san = network.open(terminal)) {
            int count = nodes == 0 ? SanArguments.taking(san, 32) : nodes;
            UsageProblem.check(
                    count >= 2 && count <= Math.min(MOST_RANKS, san.endnodes()),
                    "--nodes must be 2 to " + Math.min(MOST_RANKS, san.endnodes()) + ", not " + count);
            figures.put("endnodes", san.endnodes()).put("program", program);
            if (program.equals(DISK)) {
                disks(san, count, figures);
            } else {
                ranks(san, count, figures);
            }
            figures.put("packets", san.packetsSent())
                    .put("packetsLost", san.packetsLost())
                    .put("sweeps", san.manager().map(SubnetManager::sweeps).orElse(0))
                    .put("traceHash", Long.toHexString(san.traceHash()));
            tell(Figures.count(san.packetsSent()) + " packets, " + Figures.count(san.packetsLost())
                    + " lost; trace hash " + Long.toHexString(san.traceHash()));
        }
        return true;
    }

    // Ranks.

    private RankProgram rankProgram() throws UsageProblem {
        for (RankProgram each : RankProgram.values()) {
            if (each.toString().equals(program)) {
                return each;
            }
        }
        throw new UsageProblem(
                "There is no program '" + program + "'; barrier, broadcast, ring, all-to-all and disk are possible");
    }

    private void ranks(San san, int count, JsonObject figures) throws Exception {
        RankProgram what = rankProgram();
        for (int rank = 0; rank < count; rank++) {
            AdapterKind adapter = san.adapter(rank);
            UsageProblem.check(
                    adapter.incomingRdma(),
                    "ranks write to each other's memory, and endnode " + rank + " has an adapter of the kind '"
                            + adapter + "', which performs no incoming RDMA; it can have a disk");
        }
        FaultSchedule faults = network.schedule(san, terminal);
        SanRanks host = new SanRanks(san);
        Latencies latencies = new Latencies();
        long[] spanNs = new long[2];
        MessagingOptions options =
                MessagingOptions.defaults().withTimeout(Duration.ofNanos(microseconds * NS_PER_MICROSECOND));
        try {
            Ranks.run(
                    count, options, host, world -> run(what, world, host, () -> faults.start(san), latencies, spanNs));
        } catch (MessagingException e) {
            throw new Failure(String.valueOf(e.getMessage()), e);
        }
        double us = (spanNs[1] - spanNs[0]) / 1e3;
        figures.put("ranks", count)
                .put("rounds", rounds)
                .put("virtualMicroseconds", us)
                .put("roundMeanNs", latencies.mean())
                .put("roundMostNs", latencies.most());
        tell(String.format(
                Locale.ROOT,
                "%d ranks, %d times %s with %s, all correct; %.1f µs of virtual time, %.1f µs each, longest %.1f",
                count,
                rounds,
                what,
                Figures.bytes(bytes),
                us,
                latencies.mean() / 1e3,
                latencies.most() / 1e3));
    }

    /** The first rank measures. */
    private void run(
            RankProgram what, Communicator world, SanRanks host, Runnable begins, Latencies latencies, long[] spanNs) {
        boolean measures = world.rank() == 0;
        long[] since = {0};
        Runnable start = () -> {
            if (measures) {
                begins.run();
                spanNs[0] = host.nowNs();
                since[0] = spanNs[0];
            }
        };
        what.run(world, (int) bytes, rounds, start, () -> {
            stop.check();
            if (measures) {
                latencies.add(host.nowNs() - since[0]);
                since[0] = host.nowNs();
                spanNs[1] = since[0];
            }
        });
    }

    // Disks.

    private void disks(San san, int count, JsonObject figures) throws Exception {
        List<Integer> at = new ArrayList<>();
        try {
            for (String name : disks) {
                at.add(network.names(san, terminal).endnode(name));
            }
        } catch (IllegalArgumentException e) {
            throw new UsageProblem("--disk: " + e.getMessage());
        }
        if (at.isEmpty()) {
            IntStream.range(1, count).forEach(at::add);
        }
        UsageProblem.check(at.stream().distinct().count() == at.size(), "--disk names an endnode twice");
        int host = IntStream.range(0, san.endnodes())
                .filter(each -> !at.contains(each) && !san.isRouter(each))
                .findFirst()
                .orElseThrow(() -> new UsageProblem("--disk leaves no endnode that writes"));
        FaultSchedule faults = network.schedule(san, terminal);
        try (SanDisks run = new SanDisks(san, host, at, DISK_DEPTH)) {
            long fromNs = san.world().elapsedNs();
            faults.start(san);
            run.start();
            long most = (long) at.size() * Math.max(rounds, DISK_DEPTH);
            while (!run.run(STEP_NS, most)) {
                stop.check();
                if (san.world().elapsedNs() - fromNs > microseconds * NS_PER_MICROSECOND) {
                    throw new Failure(run.answered() + " of " + most + " blocks were written within " + microseconds
                            + " µs of virtual time");
                }
            }
            long spanNs = san.world().elapsedNs() - fromNs;
            run.check();
            report(run, at.size(), spanNs, figures);
        }
    }

    private void report(SanDisks run, int count, long ns, JsonObject figures) {
        figures.put("disks", count).put("blocks", run.answered()).put("virtualMicroseconds", ns / 1e3);
        tell(String.format(
                Locale.ROOT,
                "%d blocks of 64 KiB written to %d disks, read back and correct; %.1f µs of virtual time, %.2f GB/s",
                run.answered(),
                count,
                ns / 1e3,
                (double) run.answered() * SanDisks.BLOCK_BYTES / ns));
    }

    private void tell(String line) {
        if (!json) {
            terminal.tell(line);
        }
    }
}
