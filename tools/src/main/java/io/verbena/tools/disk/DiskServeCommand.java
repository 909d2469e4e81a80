package io.verbena.tools.disk;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.live.Publication;
import io.verbena.storage.service.DiskMetrics;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.TargetFigures;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.text.AddressText;
import io.verbena.text.PeerText;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.disk.DiskRequest.SubsystemPlan;
import io.verbena.tools.disk.ServedDisks.Served;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.LiveLines;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.Progress;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena disk serve}: files as disks. */
@Command(
        name = "serve",
        customSynopsis = "verbena disk serve [OPTIONS] FILE[:SIZE]...",
        description = {
            "Serve files as disks over RDMA. Linux connects with 'nvme connect', which is printed, and gets a block device.",
            "",
            "A file is created or extended to SIZE. It is sparse: blocks take space when they are written. memory:SIZE is a"
                    + " disk without a file. Several files are several disks of one subsystem. Name and UUID of a disk are"
                    + " the same after a restart, so that hosts find it again. 'verbena disk add', 'remove', 'resize' and"
                    + " 'list' change the server while it runs.",
            "",
            "There is no password and no encryption. Listen at an address that only your own machines can reach.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena disk serve disk.img:10G",
            "  verbena disk serve --address 192.0.2.7 --provider iwarp a.img b.img",
            "  verbena disk serve memory:1G --fault read-error@2048+8*3",
            "  verbena disk serve disk.img --record disk.log --no-write-cache"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:the server failed", "2:wrong arguments", "130:ended by Ctrl-C"})
public final class DiskServeCommand extends FiguresCommand {
    private static final int PORT = 4420;
    private static final int MOST_PORT = 65_535;
    private static final int SHOWN_QUEUES = 8;
    private static final long TICK_MS = 50;

    /** Ticks between two looks at the hosts. */
    private static final int HOST_TICKS = 5;

    private static final long LEAST_MEMORY_BYTES = 8L << 20;

    private final StopSignal stop;

    @Parameters(paramLabel = "FILE[:SIZE]", arity = "1..*", description = "The disks.")
    private List<String> files = new ArrayList<>();

    @Mixin
    private final WebArguments web = new WebArguments();

    @ArgGroup(validate = false, heading = "%nDisk:%n")
    private DiskArguments disk = new DiskArguments();

    @Option(
            names = "--separate",
            description = "Every file is a subsystem of its own, whose name ends with that of the file.")
    private boolean separate;

    @Option(
            names = "--address",
            paramLabel = "HOST",
            defaultValue = "",
            description = "Local address to listen at. Default: every address.")
    private String address = "";

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "4420",
            description = "Port to listen at; 0 chooses a free one. Default: ${DEFAULT-VALUE}.")
    private int port = PORT;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "1G",
            description = "Most memory for the queues of all hosts, about 5 MiB each. Default: ${DEFAULT-VALUE}.")
    private long memoryBytes = 1L << 30;

    @Option(
            names = "--transfer",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "128K",
            description =
                    "Most data of a command, a power of two from 8K to 1M: Linux splits longer ones. Buffers of queues"
                            + " become larger with it. Default: ${DEFAULT-VALUE}.")
    private long transferBytes = 128 << 10;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            description = "Print figures at this interval. Default: 1 on a terminal, else none are printed.")
    private Optional<Double> interval = Optional.empty();

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    public DiskServeCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(port >= 0 && port <= MOST_PORT, "--port must be 0 to " + MOST_PORT + ", not " + port);
        check(
                memoryBytes >= LEAST_MEMORY_BYTES,
                "--memory must be 8 MiB or more, for one host, not " + memoryBytes + " bytes");
        check(
                Long.bitCount(transferBytes) == 1 && transferBytes >= 8 << 10 && transferBytes <= 1 << 20,
                "--transfer must be a power of two from 8K to 1M, not " + transferBytes);
        check(!disk.recorded() || files.size() == 1, "--record is for one disk: give one FILE");
        Duration pause = pause();
        List<DiskPlan> plans = plans();
        RnicOptions options = withRecord(rnicArguments.options(), plans);
        check(
                options.progress() == Progress.ENGINE_THREAD,
                "--inline does not work for a server: the engine must run while the server waits; leave it out");
        InetSocketAddress where = address.isEmpty()
                ? new InetSocketAddress(port)
                : new InetSocketAddress(HostPort.address("--address", address), port);
        StorageTarget target = new StorageTarget(TargetLimits.defaults()
                .withTransferShift(Long.numberOfTrailingZeros(transferBytes) - 12)
                .withMemoryBytes(memoryBytes));
        try (ServedDisks disks = new ServedDisks(target)) {
            // Hosts that return after a restart must find their disks: a refused Connect ends their attempts.
            List<Served> served = add(plans, disks);
            try (DiskNetwork network = DiskNetwork.listen(options, target, where, this::note);
                    Observation _ = web.observe(
                            "disk serve",
                            network.rnics(),
                            () -> List.of(DiskMetrics.of(disks.figures())),
                            this::note)) {
                disks.servedBy(network.server());
                String text = AddressText.ofIp(network.address());
                Optional<Publication> control = DiskControl.offer(disks, text, Problems::sentence, this::note);
                try {
                    stop.onServing();
                    ready(served, network);
                    watch(disks, pause);
                    TargetFigures last = disks.figures();
                    DiskRows.json(figures, DiskRows.of(text, last, disks));
                    note("Stopped after " + Figures.count(commands(last)) + " command(s).");
                } finally {
                    control.ifPresent(Publication::close);
                }
            }
        }
        return true;
    }

    /** Between two prints of figures; zero: they are not printed. */
    private Duration pause() throws UsageProblem {
        if (interval.isPresent()) {
            return Seconds.of("--interval", interval.get(), 0.05);
        }
        return terminal.interactive() && !quiet.quiet() ? Duration.ofSeconds(1) : Duration.ZERO;
    }

    private List<DiskPlan> plans() throws UsageProblem {
        List<DiskPlan> plans = new ArrayList<>();
        for (String file : files) {
            plans.add(disk.plan(file));
        }
        return plans;
    }

    private List<Served> add(List<DiskPlan> plans, ServedDisks disks) throws IOException, Failure, UsageProblem {
        SubsystemPlan subsystem = disk.subsystem();
        List<Served> served = new ArrayList<>();
        for (DiskPlan plan : plans) {
            String nqn = subsystem.nqn();
            if (separate && !nqn.isEmpty()) {
                OpenDisk.check(plan.spec(), plan.readOnly());
                nqn = below(nqn, DiskIdentity.of(plan.spec()), plan.spec(), served);
            } else if (!separate && !served.isEmpty()) {
                nqn = served.getFirst().nqn();
            }
            SubsystemPlan named = new SubsystemPlan(nqn, subsystem.hosts(), subsystem.writeCache());
            long bytes = plan.spec().inMemory() ? plan.spec().sizeBytes().orElse(0) : 0;
            ProgressBar bar = terminal.bar(
                    stop,
                    quiet.quiet() || bytes == 0,
                    "Allocating " + plan.spec().text(),
                    bytes);
            try {
                served.add(disks.add(
                        new DiskRequest.Add(named, plan, Optional.empty(), Set.of()),
                        done -> bar.update(done, System.nanoTime())));
            } finally {
                bar.clear();
            }
            if (plan.restBytes() != 0) {
                note(plan.restText());
            }
        }
        return served;
    }

    /** Files of one name in two folders are two subsystems too. */
    private static String below(String base, DiskIdentity identity, DiskSpec spec, List<Served> served) {
        String nqn = identity.nqnBelow(base, spec);
        return served.stream().map(Served::nqn).anyMatch(nqn::equals) ? identity.distinct(nqn) : nqn;
    }

    /**
     * Beside the first file that is locked, so that no other server uses the record: if the server is killed, its successor ends the
     * connections that hosts over RoCE still have.
     */
    private static RnicOptions withRecord(RnicOptions options, List<DiskPlan> plans) {
        return plans.stream()
                .filter(disk -> !disk.readOnly() && !disk.spec().inMemory())
                .map(disk -> disk.spec().absolute().file())
                .filter(file -> Files.isWritable(file.resolveSibling(".")))
                .findFirst()
                .map(file -> options.withConnectionRecord(file + ".connections"))
                .orElse(options);
    }

    private static long commands(TargetFigures figures) {
        return figures.namespaces().stream()
                .mapToLong(each -> each.counts().commands())
                .sum();
    }

    private void ready(List<Served> served, DiskNetwork network) {
        InetSocketAddress shown = DiskNetwork.reachable(network.address());
        if (!json && !quiet.quiet()) {
            terminal.tell("Connect on Linux, as root, over " + network.drivers() + ":");
            served.stream().map(Served::nqn).distinct().forEach(nqn -> terminal.tell(connectLine(shown, nqn)));
            // Over RoCE a killed server is only silent: Linux waits for its keep-alive command, 5 s by default.
            terminal.tell("Append --reconnect-delay 1" + (network.hasRoce() ? " --keep-alive-tmo 1" : "")
                    + " to use the disks again within seconds after a restart of this server.");
        }
        note("Listening at " + AddressText.ofIp(network.address()) + ".");
    }

    private static String connectLine(InetSocketAddress address, String nqn) {
        return "  nvme connect -t rdma -a "
                + AddressText.shortened(address.getAddress().getHostAddress()) + " -s " + address.getPort() + " -n "
                + (nqn.matches("[A-Za-z0-9._:-]+") ? nqn : '\'' + nqn.replace("'", "'\\''") + '\'');
    }

    private void watch(ServedDisks disks, Duration pause) throws InterruptedException {
        LiveLines live = new LiveLines(terminal.err());
        long drawnNs = System.nanoTime();
        TargetFigures now = disks.figures();
        DiskMeter meter = new DiskMeter(now, drawnNs);
        SortedMap<String, Integer> hosts = DiskMeter.hosts(now);
        for (int tick = 0; !stop.raised(); tick++) {
            TimeUnit.MILLISECONDS.sleep(TICK_MS);
            long nowNs = System.nanoTime();
            boolean due = !pause.isZero() && nowNs - drawnNs >= Times.nanos(pause);
            if (due || tick % HOST_TICKS == 0) {
                now = disks.figures();
                hosts = noteHosts(hosts, DiskMeter.hosts(now), live);
            }
            if (due) {
                drawnNs = nowNs;
                show(meter.lines(now, nowNs, SHOWN_QUEUES), live);
            }
        }
        live.clear();
    }

    private void show(List<String> lines, LiveLines live) {
        if (terminal.interactive()) {
            live.draw(lines.stream().map(PeerText::shown).toList());
        } else {
            lines.forEach(terminal::say);
        }
    }

    /** Hosts that came or went, or have another number of queues. */
    private SortedMap<String, Integer> noteHosts(
            SortedMap<String, Integer> before, SortedMap<String, Integer> now, LiveLines live) {
        if (!before.equals(now)) {
            live.clear();
            now.forEach((host, queues) -> {
                if (!queues.equals(before.get(host))) {
                    note("Connected: " + host + ", " + queues + " queue(s).");
                }
            });
            before.keySet().stream()
                    .filter(host -> !now.containsKey(host))
                    .forEach(host -> note("Disconnected: " + host + "."));
        }
        return now;
    }

    private void note(String line) {
        if (!quiet.quiet()) {
            terminal.say(line);
        }
    }
}
