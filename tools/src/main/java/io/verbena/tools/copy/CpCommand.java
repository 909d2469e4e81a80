package io.verbena.tools.copy;

import static io.verbena.tools.command.UsageProblem.check;

import io.verbena.files.Copier;
import io.verbena.files.CopyFigures;
import io.verbena.files.CopyListener;
import io.verbena.files.CopySettings;
import io.verbena.files.RemoteName;
import io.verbena.files.failure.Stopped;
import io.verbena.files.store.LocalName;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.ByteSize;
import io.verbena.tools.command.ConnectionArguments;
import io.verbena.tools.command.FiguresCommand;
import io.verbena.tools.command.Hosts;
import io.verbena.tools.command.Problems;
import io.verbena.tools.command.QuietArgument;
import io.verbena.tools.command.RnicArguments;
import io.verbena.tools.command.Seconds;
import io.verbena.tools.command.SurviveArguments;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.command.UsageProblem;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena cp}: copies a file from or to {@code verbena serve}. */
@Command(
        name = "cp",
        customSynopsis = {
            "verbena cp [OPTIONS] HOST:PORT/NAME LOCAL",
            "  or:  verbena cp [OPTIONS] LOCAL HOST:PORT/NAME",
            "  or:  verbena cp --list HOST:PORT"
        },
        description = {
            "Copy a file from or to a machine where 'verbena serve' offers it, by RDMA.",
            "",
            "A fetch reads the server's memory by RDMA Reads. A store writes it by RDMA Writes, into a file that is"
                    + " offered for writing. Several connections share the work. The checksum (CRC32C) of each chunk is"
                    + " compared with that of the other end. A connection that breaks is established again; with --survive, it"
                    + " continues over another one.",
            "",
            "As with cp, a LOCAL that is a folder gets a file called NAME, and an existing file is replaced unless -n is"
                    + " given. A fetch writes LOCAL.part and renames it to LOCAL when it is complete and verified. If it"
                    + " ends early, the same command continues where it ended, or starts again if the source has"
                    + " changed. A store changes the server's file in place and sets its length to LOCAL's.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena cp 192.0.2.7:7176/image.iso .            fetch a file",
            "  verbena cp image.iso 192.0.2.7:7176/inbox.bin    store into a file that is offered with :rw",
            "  verbena cp -n [2001:db8::1]:7176/a.bin /data/    fetch, but never replace a file",
            "  verbena cp --list 192.0.2.7:7176                 list the files on offer",
            "  verbena cp --connections 4 --json 192.0.2.7:7176/image.iso /tmp | jq .bytesPerSecond"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the file was copied and verified", "1:the copy failed", "2:wrong arguments"})
public final class CpCommand extends FiguresCommand {

    /** How a fetch treats runs of zeros. */
    enum Sparse {
        AUTO,
        NEVER
    }

    private static final long LEAST_CHUNK_BYTES = 4096;
    private static final long MOST_CHUNK_BYTES = 16 << 20;

    private final StopSignal stop;

    @Parameters(
            arity = "1..2",
            paramLabel = "FILE",
            description = "Source, then target; one of them is HOST:PORT/NAME.")
    private List<String> files = List.of();

    @Option(names = "--list", description = "List the files that the server at HOST:PORT offers.")
    private boolean list;

    @Option(
            names = {"-n", "--no-clobber"},
            description = "Fetch: fail instead of replacing an existing file.")
    private boolean noClobber;

    @Option(
            names = {"-u", "--update"},
            description = "Store: compare checksums first and write only the chunks that differ.")
    private boolean update;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            description = "Number of connections, 1 to 64. Default: 2, or 1 with --inline.")
    private Optional<Integer> connections = Optional.empty();

    @Option(
            names = "--chunk",
            paramLabel = "BYTES",
            defaultValue = "1MiB",
            converter = ByteSize.class,
            description = "Size of one Read or Write, 4 KiB to 16 MiB. Default: ${DEFAULT-VALUE}.")
    private long chunkBytes = 1 << 20;

    @Option(
            names = "--depth",
            paramLabel = "N",
            defaultValue = "8",
            description = "Chunks in flight on each connection, 1 to 60. Default: ${DEFAULT-VALUE}.")
    private int depth = 8;

    @Option(
            names = "--verify",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Compare checksums. Default: on.")
    private boolean verify = true;

    @Option(
            names = "--sparse",
            paramLabel = "auto|never",
            defaultValue = "AUTO",
            description = "Fetch: make holes of runs of zeros (auto), or write the zeros (never). Default: auto.")
    private Sparse sparse = Sparse.AUTO;

    @Option(names = "--sync", description = "Wait until the file is on the disk, here or at the server.")
    private boolean toDisk;

    @Option(
            names = "--retry-for",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description =
                    "How long to wait for a server that does not listen yet, and how long to reconnect without any"
                            + " progress before giving up. Default: ${DEFAULT-VALUE}.")
    private double retrySeconds = 30;

    @Mixin
    private final QuietArgument quiet = new QuietArgument();

    @Mixin
    private final SurviveArguments survive = new SurviveArguments();

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    public CpCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    public boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnicArguments.options();
        CopySettings settings = settings(options);
        List<Optional<RemoteName>> remotes =
                files.stream().map(RemoteName::parse).toList();
        if (list) {
            check(
                    files.size() == 1 && remotes.getFirst().isPresent(),
                    "--list needs the address of one server: --list HOST:PORT");
            RemoteName server = remotes.getFirst().get();
            try (Copier copier = copier(server, options, settings)) {
                return list(copier.list(), figures);
            } catch (ConnectionException e) {
                throw noConnection(e, server);
            }
        }
        check(files.size() == 2, "cp needs a source and a target: cp HOST:PORT/NAME LOCAL, or cp LOCAL HOST:PORT/NAME");
        boolean fetch = remotes.getFirst().isPresent();
        check(
                fetch != remotes.getLast().isPresent(),
                "Either the source or the target must be HOST:PORT/NAME, and the other one a local file"
                        + (fetch ? "; put ./ in front of a local file that has such a name" : ""));
        RemoteName remote = (fetch ? remotes.getFirst() : remotes.getLast()).orElseThrow();
        Path local = LocalName.path(fetch ? files.getLast() : files.getFirst());
        check(
                fetch || !noClobber,
                "--no-clobber applies to a fetch only; the server decides whether its file may be replaced");
        check(!fetch || !update, "--update applies to a store only; a fetch continues from LOCAL.part without it");
        return fetch
                ? fetch(remote, local, options, settings, figures)
                : store(local, remote, options, settings, figures);
    }

    private boolean fetch(RemoteName remote, Path local, RnicOptions options, CopySettings settings, JsonObject figures)
            throws Exception {
        check(
                !remote.name().isEmpty(),
                "The source has no file name: write HOST:PORT/NAME; 'cp --list HOST:PORT' lists the names");
        Path target = new LocalFile(local).target(remote.name(), !noClobber);
        figures.put("source", remote.toString()).put("target", target.toString());
        try (Copier copier = copier(remote, options, settings)) {
            return report(copier.fetch(remote.name(), target), remote + " to " + target, figures);
        } catch (ConnectionException e) {
            throw noConnection(e, remote);
        } catch (Stopped e) {
            throw new Failure(
                    "Stopped before the end; run the same command again to continue from '" + target + ".part'", e);
        }
    }

    private boolean store(Path local, RemoteName named, RnicOptions options, CopySettings settings, JsonObject figures)
            throws Exception {
        LocalFile source = new LocalFile(local);
        source.checkSource();
        RemoteName remote = named.name().isEmpty() ? new RemoteName(named.host(), named.port(), source.name()) : named;
        figures.put("source", local.toString()).put("target", remote.toString());
        try (Copier copier = copier(remote, options, settings)) {
            return report(copier.store(local, remote.name(), update), local + " to " + remote, figures);
        } catch (ConnectionException e) {
            throw noConnection(e, remote);
        } catch (Stopped e) {
            throw new Failure(
                    "Stopped before the end, with the server's file written in part; run it again with --update to write the rest",
                    e);
        }
    }

    private Copier copier(RemoteName server, RnicOptions options, CopySettings plain) throws Failure, UsageProblem {
        CopySettings settings = plain.withConnection(survive.with(plain.connection(), server.port()));
        List<InetSocketAddress> addresses = Hosts.resolveAll(server.host(), server.port());
        boolean inline = options.progress() == Progress.INLINE;
        CopyListener listener = quiet.quiet() ? new CopyListener() {} : new CopyProgress(terminal);
        return new Copier(
                address -> Rnic.open(RnicArguments.towards(options, address)),
                inline,
                addresses,
                settings,
                listener,
                stop::raised);
    }

    private boolean list(List<Copier.Offer> offers, JsonObject figures) {
        figures.putObjects(
                "files",
                offers.stream()
                        .map(offer -> new JsonObject()
                                .put("name", offer.name())
                                .put("bytes", offer.size())
                                .put("writable", offer.writable()))
                        .toList());
        if (!json) {
            for (Copier.Offer offer : offers) {
                String size = offer.size() < 0 ? "unreachable" : Figures.bytes(offer.size());
                terminal.tell(
                        String.format(Locale.ROOT, "%12s  %s  %s", size, offer.writable() ? "rw" : "ro", offer.name()));
            }
        }
        return true;
    }

    private boolean report(CopyFigures copy, String what, JsonObject figures) {
        CopyReport report = new CopyReport(copy);
        report.addTo(figures);
        if (!json && !quiet.quiet()) {
            terminal.tell(what + ": " + report.sentence() + ".");
        }
        return true;
    }

    private static Failure noConnection(ConnectionException e, RemoteName server) {
        String said = Copier.refusal(e);
        return switch (e.kind()) {
            case REFUSED -> new Failure(Problems.sentence(e) + " 'verbena serve' starts a server there.", e);
            case REJECTED -> new Failure(said.isEmpty() ? Problems.sentence(e) : server.host() + " said: " + said, e);
            case TIMED_OUT ->
                new Failure(
                        Problems.sentence(e) + " Check the address and firewalls; --timeout sets how long to wait.", e);
            case FAILED -> new Failure(Problems.sentence(e), e);
        };
    }

    private CopySettings settings(RnicOptions options) throws UsageProblem {
        survive.check(options, connection.options());
        boolean inline = options.progress() == Progress.INLINE;
        int count = connections.orElse(inline ? 1 : 2);
        check(count >= 1 && count <= 64, "--connections must be 1 to 64, not " + count);
        check(
                chunkBytes >= LEAST_CHUNK_BYTES && chunkBytes <= MOST_CHUNK_BYTES,
                "--chunk must be 4 KiB to 16 MiB, not " + chunkBytes);
        check(depth >= 1 && depth <= 60, "--depth must be 1 to 60, not " + depth);
        check(
                !inline || options.captureFile().isEmpty(),
                "--capture records one RNIC, and with --inline each connection has its own: use only one of the two options");
        return new CopySettings(
                new CopySettings.Work(count, (int) chunkBytes, depth),
                new CopySettings.Content(verify, sparse == Sparse.AUTO, toDisk),
                new CopySettings.Patience(Seconds.of("--retry-for", retrySeconds, 0), connection.timeout()),
                connection.options());
    }
}
