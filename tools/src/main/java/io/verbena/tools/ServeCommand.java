package io.verbena.tools;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.files.ExportSpec;
import io.verbena.tools.files.ExportTable;
import io.verbena.tools.files.FileServer;
import io.verbena.tools.files.PagedExports;
import io.verbena.tools.files.ServeSettings;
import io.verbena.tools.text.Addresses;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code verbena serve}: files as memory regions. */
@Command(
        name = "serve",
        customSynopsis = "verbena serve [OPTIONS] --export [NAME=]FILE[:rw[:SIZE]]...",
        description = {
            "Offer files as memory that peers read, and if you say so write, by RDMA.",
            "",
            "'verbena cp' copies from and to it. A file is offered under the last part of its name, or under NAME; peers"
                    + " name files by that and never by a path. It is read-only unless :rw follows. A store may bring as"
                    + " many bytes as the file has, or SIZE: the file is then made or grows. Each connection gets a key of"
                    + " its own for the file it opens, good for what it opened it for and until it leaves.",
            "",
            "There is no password and no encryption: whoever reaches the port may read what is offered, and store into what"
                    + " is :rw. Listen at an address that only your own machines reach.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena serve --export image.iso                      read-only, at port 7176 of every address",
            "  verbena serve -l 192.0.2.7:7000 -e a.bin -e b.bin     two files at one address",
            "  verbena serve -e today=/var/log/huge.log              under another name",
            "  verbena serve -e inbox.bin:rw:10G                     takes a file of up to 10 GiB",
            "  verbena cp 192.0.2.7:7176/image.iso .                 fetches from another machine"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:ended by Ctrl-C", "1:something failed", "2:wrong arguments"})
final class ServeCommand extends FiguresCommand {

    private static final Pattern LISTEN = Pattern.compile("(\\[[^\\]]+\\]|[^:\\[\\]]*):(\\d{1,5})");

    private final StopSignal stop;

    @Option(
            names = {"-e", "--export"},
            paramLabel = "FILE",
            arity = "1",
            required = true,
            description =
                    "File to offer: [NAME=]FILE[:rw[:SIZE]]. Repeat it for more files. A FILE whose name holds '=' is"
                            + " written with a folder in front (./a=b).")
    private List<String> exports = new ArrayList<>();

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "HOST:PORT",
            defaultValue = ":7176",
            description = "Local address to listen at. Without HOST: every address. Port 0 takes a free one. Default:"
                    + " ${DEFAULT-VALUE}.")
    private String listen = ":7176";

    @Option(
            names = "--reserve",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Whether a file that is made or grows for :rw:SIZE takes its room on the disk at once, by writing"
                            + " zeros, so that a store cannot run into a full disk. Default: on.")
    private boolean reserve = true;

    @Option(
            names = "--pageable",
            description =
                    "Read files through a pool of page frames instead of mapping them: files far larger than memory, whose"
                            + " pages pass by the system's cache. Only what a client waits for is held up by the disk.")
    private boolean pageable;

    @Option(
            names = "--frames",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "256MiB",
            description = "Size of that pool. Default: ${DEFAULT-VALUE}.")
    private long frames = 256L << 20;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "64",
            description =
                    "Most connections at once; a cp uses one more than its --connections. Default: ${DEFAULT-VALUE}.")
    private int maxConnections = 64;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description = "Give a connection up that asks nothing for so long. Default: ${DEFAULT-VALUE}.")
    private double idleSeconds = 120;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print problems at the start only.")
    private boolean quiet;

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    ServeCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        check(frames >= 1 << 20 && frames <= 1L << 40, "--frames must be 1 MiB to 1 TiB");
        check(maxConnections >= 1 && maxConnections <= 10_000, "--max-connections must be 1 to 10000");
        ServeSettings settings = new ServeSettings(
                maxConnections, connection.timeout(), Seconds.of("--idle", idleSeconds, 0.001), connection.options());
        RnicOptions options = rnicArguments.options();
        check(
                options.progress() == Progress.ENGINE_THREAD,
                "--inline is not for servers: peers read files while this program does nothing, which needs an engine"
                        + " thread");
        InetSocketAddress where = address();
        ExportTable table = new ExportTable(specs(), reserve);
        figures.putObjects("exports", table.json());
        try (Rnic rnic = Rnic.open(options)) {
            Optional<VirtualMemory> memory = pageable
                    ? Optional.of(rnic.openVirtualMemory(
                            VirtualMemoryOptions.defaults().withFrameBytes(frames)))
                    : Optional.empty();
            memory.map(PagedExports::new).ifPresent(table::pageable);
            FileServer server = new FileServer(rnic, table, settings, this::note, stop);
            try {
                server.serve(where, real -> ready(table, real, figures));
            } catch (IOException e) {
                throw new Failure(Problems.sentence(e) + " Choose another address with --listen.", e);
            } finally {
                memory.map(VirtualMemory::figures)
                        .ifPresent(paging ->
                                figures.put("frames", paging.frames()).put("pagesFetched", paging.broughtIn()));
                figures.put("served", server.figures());
            }
        }
        note("Stopped.");
        return true;
    }

    private void ready(ExportTable table, SocketAddress real, JsonObject figures) {
        figures.put("address", Addresses.text(real));
        if (!json && !quiet) {
            table.lines().forEach(terminal::tell);
        }
        note("Listening at " + Addresses.text(real) + ".");
    }

    private synchronized void note(String line) {
        if (!quiet) {
            terminal.say(line);
        }
    }

    private List<ExportSpec> specs() throws UsageProblem {
        List<ExportSpec> specs = new ArrayList<>();
        for (String text : exports) {
            try {
                specs.add(ExportSpec.parse(text, new ByteSize()::convert));
            } catch (Failure | TypeConversionException e) {
                throw new UsageProblem(String.valueOf(e.getMessage()));
            }
        }
        return specs;
    }

    private InetSocketAddress address() throws UsageProblem, Failure {
        Matcher parts = LISTEN.matcher(listen);
        check(
                parts.matches() && Integer.parseInt(parts.group(2)) <= 65_535,
                "'" + listen + "' is not a HOST:PORT to listen at, such as 192.0.2.7:7176, [2001:db8::1]:7176 or :0");
        int port = Integer.parseInt(parts.group(2));
        String host = parts.group(1).replaceAll("[\\[\\]]", "");
        return host.isEmpty() || host.equals("*") ? new InetSocketAddress(port) : Hosts.resolve(host, port);
    }

    private static void check(boolean condition, String sentence) throws UsageProblem {
        if (!condition) {
            throw new UsageProblem(sentence);
        }
    }
}
