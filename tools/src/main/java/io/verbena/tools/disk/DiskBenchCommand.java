package io.verbena.tools.disk;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.storage.client.Disk;
import io.verbena.storage.client.DiskClient;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.Latencies;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena disk bench}: rates and latencies of a disk. */
@Command(
        name = "bench",
        customSynopsis = "verbena disk bench [OPTIONS] HOST[:PORT]",
        description = {
            "Measure a disk: commands per second, bytes per second and latencies. Patterns that write destroy what is on the"
                    + " disk, and need --overwrite.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena disk bench 192.0.2.7",
            "  verbena disk bench 192.0.2.7 --pattern verify --overwrite --seconds 60",
            "  verbena disk bench 192.0.2.7 --pattern read --block 128k --depth 8"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:it was measured", "1:a command failed, or data differ", "2:wrong arguments"})
public final class DiskBenchCommand extends FiguresCommand {
    private static final long SLICE_NS = 100_000_000;

    private final StopSignal stop;

    @Mixin
    private DiskHostArguments host = new DiskHostArguments();

    @Option(
            names = "--disk",
            paramLabel = "N",
            defaultValue = "1",
            description = "Number of the disk. Default: ${DEFAULT-VALUE}.")
    private int number = 1;

    @Option(
            names = "--block",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "4k",
            description = "Bytes of a command, a multiple of the block of the disk. Default: ${DEFAULT-VALUE}.")
    private long blockBytes = 4096;

    @Option(
            names = "--pattern",
            paramLabel = "NAME",
            defaultValue = "RANDREAD",
            description =
                    "randread, randwrite, randrw, read, write, or verify, which compares what it reads with what it"
                            + " wrote. Default: randread.")
    private LoadPattern pattern = LoadPattern.RANDREAD;

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            defaultValue = "5",
            description = "Duration. Default: ${DEFAULT-VALUE}.")
    private double seconds = 5;

    @Option(names = "--overwrite", description = "Permit a pattern that destroys what is on the disk.")
    private boolean overwrite;

    public DiskBenchCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        Duration span = Seconds.of("--seconds", seconds, 0.001);
        DiskServerArguments.checkNumber(number, 1);
        check(
                overwrite || !pattern.overwrites(),
                "--pattern " + pattern + " destroys what is on the disk: add --overwrite to permit that");
        try (DiskClient client = host.connect(terminal)) {
            Disk disk = DiskHostArguments.disk(client, number);
            check(
                    blockBytes > 0
                            && blockBytes % disk.blockBytes() == 0
                            && blockBytes <= Math.min(disk.bytes(), 1 << 20),
                    "--block must be a multiple of the " + disk.blockBytes()
                            + " bytes of a block, at most 1 MiB and the" + " size of the disk, not " + blockBytes);
            DiskLoad load = new DiskLoad(disk, pattern, (int) blockBytes, host.commandsAtOnce());
            if (pattern == LoadPattern.VERIFY) {
                load.prepare();
            }
            long before = load.latencies().count();
            long startNs = System.nanoTime();
            long spanNs = Times.nanos(span);
            for (long nowNs = startNs; nowNs - startNs < spanNs; nowNs = System.nanoTime()) {
                stop.check();
                load.run(Math.min(SLICE_NS, spanNs - (nowNs - startNs)));
            }
            long measuredNs = System.nanoTime() - startNs;
            long commands = load.latencies().count() - before;
            load.finish();
            report(commands, measuredNs, load.latencies(), figures);
        }
        return true;
    }

    private void report(long commands, long spanNs, Latencies latencies, JsonObject figures) {
        double rate = Figures.rate(commands, spanNs);
        figures.put("pattern", pattern.toString())
                .put("blockBytes", blockBytes)
                .put("commandsAtOnce", host.commandsAtOnce())
                .put("commands", commands)
                .put("perSecond", rate)
                .put("bytesPerSecond", rate * blockBytes)
                .put("latencyNs", latencies.json());
        if (!json) {
            terminal.tell(pattern + " of " + Figures.bytes(blockBytes) + ", " + host.commandsAtOnce()
                    + " at once: " + Figures.perSecond(rate) + ", " + Figures.bytesPerSecond(rate * blockBytes) + "; "
                    + latencies.sentence());
        }
    }
}
