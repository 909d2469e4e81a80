package io.verbena.tools.impair;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.base.Times;
import io.verbena.host.engine.EngineLoop;
import io.verbena.host.epoll.EpollLoop;
import io.verbena.host.system.Sentences;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.FileName;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.LiveLines;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena net impair}: a bad network between two hosts. */
@Command(
        name = "impair",
        customSynopsis = "verbena net impair [OPTIONS] A B",
        description = {
            "Forward packets between two ends, and lose, delay, reorder, duplicate, corrupt, trim and mark some of them by"
                    + " rules. It needs no support of a kernel or network card, and works for RoCEv2 and iWARP of any programs.",
            "",
            "The ends A and B are two network devices, or two hosts:",
            "  tap:NAME     a TAP device; this system, or the namespace into",
            "               which it is moved, is the host at its other side",
            "  packet:NAME  a network interface without an address, such as",
            "               an end of a veth pair, a guest's tap0, or eth1",
            "  udp:HOST     a host that uses RoCEv2 over UDP sockets, as",
            "               Verbena does; both ends must be of this kind",
            "",
            "A rule has conditions, which may be omitted, and then effects: loss, duplicate, corrupt, trim and mark with a"
                    + " share such as 1%% or 1/1000; delay and jitter with a time; reorder with a share, and by with the time that"
                    + " such a packet is late. Conditions compare from (a or b), proto (roce, tcp, udp, other, any), sport, dport,"
                    + " qp (destination queue pair), opcode and size (in bytes) with == or !=; a value may be a range or a"
                    + " list:",
            "  loss 1%% delay 100us jitter 20us",
            "  from==a opcode==RC_WRITE* corrupt 1/1000",
            "  sport%%8==3 loss 100%%",
            "",
            "Rules are applied in their order, one after the other. The same --seed and the same packets give the same result."
                    + " Rules concern RoCEv2, TCP and UDP packets, and others only if proto is compared.",
            "",
            "A line of --script, and a --rule, may begin with a time, which counts from the first packet of RoCEv2, TCP or UDP."
                    + " It changes the effects that it names of the rule with the same conditions, and clear ends that rule:",
            "  at 2s: path sport%%8==3 loss 100%%",
            "  at 5s: clear sport%%8==3",
            "  at 9s: loss 5%%",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena net impair tap:left tap:right -r 'loss 1%%'",
            "  verbena net impair packet:veth0 packet:veth2 --script cut.txt",
            "  verbena net impair packet:tap0 tap:host0 -r 'from==a mark 5%%'",
            "                                   between a guest and this system",
            "  verbena net impair udp:127.0.0.2 udp:127.0.0.4 --via 127.0.0.3 -r 'delay 1ms'",
            "  verbena net impair tap:left tap:right -r 'loss 1%%' --check",
            "                                   reads the rules, and ends"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:--duration has passed",
            "1:an end cannot be used, or is gone",
            "2:wrong arguments or rules",
            "130:ended by Ctrl-C"
        })
public final class NetImpairCommand extends FiguresCommand {

    private static final long LINE_NS = 500_000_000;
    private static final int ROCE_PORT = 4791;
    private static final int MOST_DSCP = 63;
    private static final int MOST_HOLD = 10_000_000;
    private static final long BYTES_PER_HELD = Impairment.Settings.MOST_HELD_BYTES / Impairment.Settings.MOST_HELD;
    private static final String UDP = "udp:";

    private final StopSignal stop;
    private final LiveLines live;

    @Parameters(
            index = "0",
            paramLabel = "A",
            description = "One end: tap:NAME, packet:NAME or udp:HOST, of which the first address counts.")
    private String a = "";

    @Parameters(index = "1", paramLabel = "B", description = "The other end.")
    private String b = "";

    @Option(
            names = {"-r", "--rule"},
            paramLabel = "RULE",
            description = "A rule, or a line of a script. May be given several times.")
    private List<String> rules = new ArrayList<>();

    @Option(
            names = "--script",
            paramLabel = "FILE",
            converter = FileName.class,
            description = "Rules, one per line, after those of --rule. Lines that begin with # are comments.")
    private Optional<Path> script = Optional.empty();

    @Option(names = "--seed", paramLabel = "N", description = "What chance decides depends on it. Default: 1.")
    private long seed = 1;

    @Option(
            names = "--duration",
            paramLabel = "SECONDS",
            description = "End after this time. Default: when Ctrl-C is pressed.")
    private Optional<Double> seconds = Optional.empty();

    @Option(
            names = "--via",
            paramLabel = "ADDRESS",
            description =
                    "With udp: an address of this machine, which each host uses as that of the other. With a port, that"
                            + " is the port of RoCEv2 everywhere. Default port: 4791.")
    private Optional<String> via = Optional.empty();

    @Option(
            names = "--trim-dscp",
            paramLabel = "N",
            description = "DSCP of trimmed packets, by which receivers know them: 0 to 63. Default: as it was.")
    private int trimDscp = Trimming.SAME_DSCP;

    @Option(
            names = "--hold",
            paramLabel = "PACKETS",
            description = "Packets that are held at a time; further ones are lost. Default: 65536.")
    private int hold = Impairment.Settings.MOST_HELD;

    @Option(names = "--check", description = "Print the rules and events in their order, and forward nothing.")
    private boolean check;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print neither progress nor events.")
    private boolean quiet;

    public NetImpairCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
        this.live = new LiveLines(terminal.err());
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        Impairment impairment = engine(events());
        checkEnds();
        figures.put("a", a).put("b", b).put("seed", seed);
        if (check) {
            return true;
        }
        try (EngineLoop loop = open()) {
            loop.own();
            Bridge bridge = bridge(loop);
            Forwarder forwarder = new Forwarder(loop, bridge, impairment);
            Report report = new Report(impairment, forwarder, bridge);
            note("Forwarding between " + bridge.ends() + ", seed " + seed + ".");
            bridge.notes().forEach(this::note);
            try {
                forward(forwarder, report);
            } finally {
                long nowNs = System.nanoTime();
                live.clear();
                if (stop.raised()) {
                    note("Stopped: " + report.line(nowNs) + ".");
                }
                report.put(figures, nowNs);
                if (!json) {
                    report.summary(terminal.columns().getAsInt()).forEach(terminal::tell);
                }
            }
        }
        return true;
    }

    private List<ScriptEvent> events() throws UsageProblem, Failure {
        List<ScriptEvent> events = new ArrayList<>();
        for (String each : rules) {
            try {
                events.add(RuleReader.parse(each));
            } catch (IllegalArgumentException e) {
                throw new UsageProblem("--rule: " + e.getMessage());
            }
        }
        if (script.isPresent()) {
            try {
                events.addAll(RuleReader.script(Files.readAllLines(script.get())));
            } catch (IllegalArgumentException e) {
                throw new UsageProblem(script.get() + ", " + e.getMessage());
            } catch (IOException e) {
                throw new Failure("Cannot read the script " + script.get() + ": " + Sentences.reason(e), e);
            }
        }
        if (check) {
            events.forEach(each -> terminal.tell(each.toString()));
        }
        return events;
    }

    private Impairment engine(List<ScriptEvent> events) throws UsageProblem {
        check(trimDscp >= Trimming.SAME_DSCP && trimDscp <= MOST_DSCP, "--trim-dscp must be 0 to 63, not " + trimDscp);
        check(hold >= 1 && hold <= MOST_HOLD, "--hold must be 1 to 10000000, not " + hold);
        try {
            Impairment.Settings settings =
                    new Impairment.Settings(seed, trimDscp, hold, Math.max(1 << 20, hold * BYTES_PER_HELD));
            return new Impairment(settings, events, this::note);
        } catch (IllegalArgumentException e) {
            throw new UsageProblem(String.valueOf(e.getMessage()));
        }
    }

    private void checkEnds() throws UsageProblem {
        for (String each : List.of(a, b)) {
            check(
                    FrameEnd.named(each) || each.startsWith(UDP),
                    "An end must be tap:NAME, packet:NAME or udp:HOST, not '" + each + "'");
        }
        boolean udp = udp();
        check(udp == b.startsWith(UDP), "Both ends must carry the same: frames (tap: and packet:) or datagrams (udp:)");
        check(!a.equals(b), "The ends must differ, and both are '" + a + "'");
        check(udp || via.isEmpty(), "--via is for the ends udp:HOST only");
        check(
                !udp || via.isPresent(),
                "The ends udp:HOST need --via with an address of this machine, which each host uses as"
                        + " that of the other");
    }

    private boolean udp() {
        return a.startsWith(UDP);
    }

    private EngineLoop open() throws IOException, Failure {
        if (udp()) {
            return EpollLoop.openFastest(0);
        }
        if (!EpollLoop.obstacle().isEmpty()) {
            throw new Failure("Network devices need direct system calls. " + EpollLoop.obstacle());
        }
        return new EpollLoop(0);
    }

    private Bridge bridge(EngineLoop loop) throws Failure, UsageProblem {
        try {
            if (loop instanceof EpollLoop epoll && !udp()) {
                return LinkBridge.open(epoll, a, b, ROCE_PORT);
            }
            InetSocketAddress own =
                    HostPort.parse("--via", via.orElseThrow(), ROCE_PORT).resolve();
            check(own.getPort() != 0, "--via must have the port of RoCEv2, or none, not 0");
            InetAddress first = HostPort.address("A", a.substring(UDP.length()));
            InetAddress second = HostPort.address("B", b.substring(UDP.length()));
            check(
                    first.getClass() == own.getAddress().getClass() && second.getClass() == first.getClass(),
                    "The ends and --via must be of one version of IP");
            check(!first.equals(second), "The ends must differ, and both are " + first.getHostAddress());
            return new UdpBridge(loop, own, first, second);
        } catch (IOException e) {
            throw new Failure("Cannot forward: " + Sentences.reason(e), e);
        }
    }

    private void forward(Forwarder forwarder, Report report) throws UsageProblem, Failure {
        long startNs = System.nanoTime();
        long durationNs =
                seconds.isEmpty() ? Long.MAX_VALUE : Times.nanos(Seconds.of("--duration", seconds.get(), 0.001));
        stop.onServing();
        long[] drawnNs = {startNs};
        try {
            forwarder.run(() -> stop.raised() || System.nanoTime() - startNs >= durationNs, nowNs -> {
                if (terminal.interactive() && !quiet && nowNs - drawnNs[0] >= LINE_NS) {
                    drawnNs[0] = nowNs;
                    live.draw(List.of(report.line(nowNs)));
                }
            });
        } catch (IOException e) {
            throw new Failure("The forwarder has ended: " + Sentences.reason(e), e);
        } catch (RuntimeException | Error e) {
            throw new Failure("The forwarder has ended because of an error in it: " + e, e);
        }
    }

    private void note(String line) {
        if (!quiet) {
            live.clear();
            terminal.say(line);
        }
    }
}
