package io.verbena.tools.copy;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.files.FileServer;
import io.verbena.files.ServeFigures;
import io.verbena.files.ServeSettings;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.ExportSpec;
import io.verbena.files.store.ExportTable;
import io.verbena.files.store.PagedExports;
import io.verbena.text.AddressText;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.ConnectionArguments;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.HostPort;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.SurviveArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.observe.Observation;
import io.verbena.tools.observe.WebArguments;
import io.verbena.tools.text.Figures;
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
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code verbena serve}: files as memory regions. */
@Command(
        name = "serve",
        customSynopsis = "verbena serve [OPTIONS] -e [NAME=]FILE[:rw[:SIZE]]...",
        description = {
            "Offer files as memory that peers read, and if permitted write, by RDMA.",
            "",
            "'verbena cp' copies from and to this server. A file is offered under the last part of its path, or under"
                    + " NAME; peers use that name and never a path. It is read-only unless :rw follows. A store may bring"
                    + " as many bytes as the file has, or up to SIZE: the file is then created or extended. Each"
                    + " connection gets its own key for the file that it opens, valid for reading or for writing and until"
                    + " it disconnects.",
            "",
            "There is no password and no encryption: anyone who reaches the port can read the files on offer, and"
                    + " store into those with :rw. Listen at an address that only your own machines can reach.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena serve --export image.iso                      read-only, port 7176 of every address",
            "  verbena serve -l 192.0.2.7:7000 -e a.bin -e b.bin     two files, at one address",
            "  verbena serve -e today=/var/log/huge.log              under another name",
            "  verbena serve -e a.bin --web                          with a live view in a browser",
            "  verbena serve -e inbox.bin:rw:10G                     accept a file of up to 10 GiB",
            "  verbena cp 192.0.2.7:7176/image.iso .                 fetch it from another machine"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"1:the server failed", "2:wrong arguments", "130:ended by Ctrl-C"})
public final class ServeCommand extends FiguresCommand {

    private static final int PORT = 7176;

    private final StopSignal stop;

    @Option(
            names = {"-e", "--export"},
            paramLabel = "FILE",
            arity = "1",
            required = true,
            description =
                    "File to offer: [NAME=]FILE[:rw[:SIZE]]. Repeat the option for more files. Put a folder in front"
                            + " of a FILE whose name contains '=' (./a=b).")
    private List<String> exports = new ArrayList<>();

    @Option(
            names = {"-l", "--listen"},
            paramLabel = "HOST:PORT",
            defaultValue = ":7176",
            description =
                    "Local address to listen at. Without HOST: every address. Port 0 chooses a free port. Default:"
                            + " ${DEFAULT-VALUE}.")
    private String listen = ":7176";

    @Option(
            names = "--reserve",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description =
                    "Reserve the disk space of a file that :rw:SIZE creates or extends at once, so that a store cannot"
                            + " fill the disk. Space that no client has used is given back at the end. Default: on.")
    private boolean reserve = true;

    @Option(
            names = "--pageable",
            description = "Read files through a pool of page frames instead of mapping them. For files much larger than"
                    + " memory: their pages bypass the system's cache, and only the client that needs a page waits"
                    + " for the disk.")
    private boolean pageable;

    @Option(
            names = "--frames",
            paramLabel = "SIZE",
            converter = ByteSize.class,
            defaultValue = "256MiB",
            description = "Size of the pool of --pageable. Default: ${DEFAULT-VALUE}.")
    private long frames = 256L << 20;

    @Option(
            names = "--max-connections",
            paramLabel = "N",
            defaultValue = "256",
            description = "Maximum number of connections; a cp uses one more than its --connections. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int maxConnections = 256;

    @Option(
            names = "--idle",
            paramLabel = "SECONDS",
            defaultValue = "120",
            description = "Close a connection that sends no request for this time. Default: ${DEFAULT-VALUE}.")
    private double idleSeconds = 120;

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @Mixin
    private final WebArguments web = new WebArguments();

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    public ServeCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        check(frames >= 1 << 20 && frames <= 1L << 40, "--frames must be 1 MiB to 1 TiB, not " + frames + " bytes");
        check(
                maxConnections >= 1 && maxConnections <= 10_000,
                "--max-connections must be 1 to 10000, not " + maxConnections);
        RnicOptions options = rnicArguments.options();
        ServeSettings settings = new ServeSettings(
                maxConnections,
                connection.setUpTimeout(),
                Seconds.of("--idle", idleSeconds, 0.001),
                SurviveArguments.accepting(connection.options(), options, connection.timeout()));
        check(
                options.progress() == Progress.ENGINE_THREAD,
                "--inline does not work for a server: peers read files while this program waits, which needs an engine"
                        + " thread; leave --inline out");
        InetSocketAddress where = HostPort.listening("--listen", listen, PORT).resolve();
        ExportTable table = new ExportTable(specs(), reserve);
        figures.putObjects(
                "exports", table.items().stream().map(ServeCommand::json).toList());
        try (Rnic rnic = Rnic.open(RnicArguments.at(options, where));
                Observation _ = web.observe("serve", List.of(rnic), this::note)) {
            Optional<VirtualMemory> memory = pageable
                    ? Optional.of(rnic.openVirtualMemory(
                            VirtualMemoryOptions.defaults().withFrameBytes(frames)))
                    : Optional.empty();
            memory.map(PagedExports::new).ifPresent(table::pageable);
            FileServer server = new FileServer(rnic, table, settings, this::note, stop::raised);
            stop.onServing();
            try {
                server.serve(where, real -> ready(table, real, figures));
            } catch (IOException e) {
                throw new Failure(Problems.sentence(e) + " Choose another address with --listen.", e);
            } finally {
                table.release();
                note("Stopped after " + server.figures().links().connections() + " connection(s).");
                memory.map(VirtualMemory::figures)
                        .ifPresent(
                                paging -> figures.put("frames", paging.frames()).put("pagesFetched", paging.pagedIn()));
                figures.put("served", json(server.figures()));
            }
        }
        return true;
    }

    private void ready(ExportTable table, SocketAddress real, JsonObject figures) {
        figures.put("address", AddressText.ofIp(real));
        if (!json && !quiet.quiet()) {
            table.items().stream().map(ServeCommand::line).forEach(terminal::tell);
        }
        note("Listening at " + AddressText.ofIp(real) + ".");
    }

    private static String line(ExportTable.Item item) {
        String bytes = Figures.bytes(item.bytes());
        String use = item.writable() ? "for writing up to " + bytes : bytes + ", read-only";
        return item.name() + "  " + use + "  " + item.file();
    }

    private static JsonObject json(ExportTable.Item item) {
        return new JsonObject()
                .put("name", item.name())
                .put("file", item.file().toString())
                .put("writable", item.writable())
                .put("bytes", item.bytes());
    }

    private static JsonObject json(ServeFigures served) {
        return new JsonObject()
                .put("connections", served.links().connections())
                .put("openedForReading", served.requests().openedForReading())
                .put("openedForWriting", served.requests().openedForWriting())
                .put("stored", served.requests().stored())
                .put("problems", served.requests().problems())
                .put("connectionsFailed", served.links().connectionsFailed())
                .put("turnedAway", served.links().turnedAway())
                .put("displaced", served.links().displaced())
                .put("linesLeftOut", served.linesLeftOut());
    }

    private synchronized void note(String line) {
        if (!quiet.quiet()) {
            terminal.say(line);
        }
    }

    private List<ExportSpec> specs() throws UsageProblem {
        List<ExportSpec> specs = new ArrayList<>();
        for (String text : exports) {
            try {
                specs.add(ExportSpec.parse(text, new ByteSize()::convert));
            } catch (FileServiceException | TypeConversionException e) {
                throw new UsageProblem(String.valueOf(e.getMessage()));
            }
        }
        return specs;
    }
}
