package io.verbena.tools;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.files.Copier;
import io.verbena.tools.files.CopyFigures;
import io.verbena.tools.files.CopyListener;
import io.verbena.tools.files.CopySettings;
import io.verbena.tools.files.RemoteName;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
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
            "Fetching reads the server's memory by RDMA Reads, storing writes it by RDMA Writes into a file that is offered"
                    + " for writing; several connections share the work. Each chunk is checked by a checksum (CRC32C) of"
                    + " what is in the file at the other end. Broken connections are made again.",
            "",
            "Like cp: a LOCAL that is a folder gets a file called NAME, and a file that is there is replaced (-n refuses)."
                    + " A fetch goes to LOCAL.part first and takes LOCAL's place when every byte is there and right; after"
                    + " an end before that, the same command goes on where it ended, or starts anew when the source has"
                    + " changed. A store changes the server's file in place, and gives it LOCAL's length in the end.",
            ""
        },
        sortOptions = false,
        footerHeading = "%nExamples:%n",
        footer = {
            "  verbena cp 192.0.2.7:7176/image.iso .            fetch",
            "  verbena cp image.iso 192.0.2.7:7176/inbox.bin    store, where inbox.bin is offered with :rw",
            "  verbena cp -n [2001:db8::1]:7176/a.bin /data/    never replace a file",
            "  verbena cp --list 192.0.2.7:7176                 what is offered there",
            "  verbena cp --connections 4 --json 192.0.2.7:7176/image.iso /tmp | jq .bytesPerSecond"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:the file is copied and was verified", "1:something failed", "2:wrong arguments"})
final class CpCommand extends FiguresCommand {

    /** What runs of zeros become in a local file. */
    enum Sparse {
        AUTO,
        NEVER
    }

    private static final long LEAST_CHUNK_BYTES = 4096;
    private static final long MOST_CHUNK_BYTES = 16 << 20;

    private final StopSignal stop;

    @Parameters(arity = "1..2", paramLabel = "FILE", description = "Source, then target; one of them HOST:PORT/NAME.")
    private List<String> files = List.of();

    @Option(names = "--list", description = "Print what the server at HOST:PORT offers.")
    private boolean list;

    @Option(
            names = {"-n", "--no-clobber"},
            description = "Fetching: fail rather than replace a file.")
    private boolean noClobber;

    @Option(
            names = {"-u", "--update"},
            description = "Storing: ask for checksums first and write only the chunks that differ.")
    private boolean update;

    @Option(
            names = {"-c", "--connections"},
            paramLabel = "N",
            description = "Connections that share the work. Default: 2, or 1 with --inline.")
    private Optional<Integer> connections = Optional.empty();

    @Option(
            names = "--chunk",
            paramLabel = "BYTES",
            defaultValue = "1MiB",
            converter = ByteSize.class,
            description = "Bytes of one Read or Write, 4 KiB to 16 MiB. Default: ${DEFAULT-VALUE}.")
    private long chunkBytes = 1 << 20;

    @Option(
            names = "--depth",
            paramLabel = "N",
            defaultValue = "8",
            description = "Chunks under way on each connection. Default: ${DEFAULT-VALUE}.")
    private int depth = 8;

    @Option(
            names = "--verify",
            negatable = true,
            defaultValue = "true",
            fallbackValue = "true",
            description = "Whether to compare checksums. Default: on.")
    private boolean verify = true;

    @Option(
            names = "--sparse",
            paramLabel = "auto|never",
            defaultValue = "AUTO",
            description = "Fetching: leave runs of zeros out of the file (auto), or write them (never). Default: auto.")
    private Sparse sparse = Sparse.AUTO;

    @Option(names = "--sync", description = "Wait until the disk has everything, here or at the server.")
    private boolean toDisk;

    @Option(
            names = "--retry-for",
            paramLabel = "SECONDS",
            defaultValue = "30",
            description =
                    "Wait so long for a server that does not listen yet, and make broken connections again until there"
                            + " was no progress for so long. Default:"
                            + " ${DEFAULT-VALUE}.")
    private double retrySeconds = 30;

    @Option(
            names = {"-q", "--quiet"},
            description = "Print problems only.")
    private boolean quiet;

    @ArgGroup(validate = false, heading = "%nConnection:%n")
    private ConnectionArguments connection = new ConnectionArguments();

    @ArgGroup(validate = false, heading = "%nRNIC:%n")
    private RnicArguments rnicArguments = new RnicArguments();

    CpCommand(Terminal terminal, StopSignal stop) {
        super(terminal);
        this.stop = stop;
    }

    @Override
    boolean run(JsonObject figures) throws Exception {
        RnicOptions options = rnicArguments.options();
        CopySettings settings = settings(options);
        List<Optional<RemoteName>> remotes =
                files.stream().map(RemoteName::parse).toList();
        if (list) {
            check(files.size() == 1 && remotes.getFirst().isPresent(), "Say whose list: --list HOST:PORT");
            RemoteName server = remotes.getFirst().get();
            try (Copier copier = copier(server, options, settings)) {
                return list(copier.list(), figures);
            } catch (ConnectionException e) {
                throw noConnection(e, server);
            }
        }
        check(files.size() == 2, "Say what to copy and where to: a source and a target");
        boolean fetch = remotes.getFirst().isPresent();
        check(
                fetch != remotes.getLast().isPresent(),
                "One of source and target must be HOST:PORT/NAME and the other a local file"
                        + (fetch ? "; a local file of such a name is written with ./ in front" : ""));
        RemoteName remote = (fetch ? remotes.getFirst() : remotes.getLast()).orElseThrow();
        Path local = Path.of(fetch ? files.getLast() : files.getFirst());
        check(fetch || !noClobber, "--no-clobber is for fetching; the server decides what may be written there");
        check(!fetch || !update, "--update is for storing; a fetch goes on from LOCAL.part by itself");
        return fetch
                ? fetch(remote, local, options, settings, figures)
                : store(local, remote, options, settings, figures);
    }

    private boolean fetch(RemoteName remote, Path local, RnicOptions options, CopySettings settings, JsonObject figures)
            throws Exception {
        check(!remote.name().isEmpty(), "Say which file: HOST:PORT/NAME; --list HOST:PORT tells what there is");
        Path target = target(remote, local);
        figures.put("source", remote.toString()).put("target", target.toString());
        try (Copier copier = copier(remote, options, settings)) {
            return report(copier.fetch(remote.name(), target), remote + " to " + target, figures);
        } catch (ConnectionException e) {
            throw noConnection(e, remote);
        } catch (StopSignal.Stopped e) {
            throw new Failure("Stopped before the end; run it again to go on from '" + target + ".part'", e);
        }
    }

    private boolean store(Path local, RemoteName named, RnicOptions options, CopySettings settings, JsonObject figures)
            throws Exception {
        checkSource(local);
        RemoteName remote = named.name().isEmpty()
                ? new RemoteName(
                        named.host(),
                        named.port(),
                        local.toRealPath().getFileName().toString())
                : named;
        figures.put("source", local.toString()).put("target", remote.toString());
        try (Copier copier = copier(remote, options, settings)) {
            return report(copier.store(local, remote.name(), update), local + " to " + remote, figures);
        } catch (ConnectionException e) {
            throw noConnection(e, remote);
        } catch (StopSignal.Stopped e) {
            throw new Failure("Stopped before the end; the server's file is written in part (--update goes on)", e);
        }
    }

    private static void checkSource(Path local) throws Failure {
        if (!Files.exists(local)) {
            throw new Failure("There is no file '" + local + "'");
        }
        if (!Files.isRegularFile(local)) {
            throw new Failure("'" + local + "' is not a regular file");
        }
        if (!Files.isReadable(local)) {
            throw new Failure("The file '" + local + "' may not be read: permission is denied");
        }
    }

    /** Where the bytes go: into a folder under the file's name; through a link, as cp does. */
    private Path target(RemoteName remote, Path local) throws Failure, IOException {
        Path target = local;
        if (Files.isDirectory(local)) {
            String name = remote.name();
            if (name.contains("/") || name.contains("\\") || name.equals(".") || name.equals("..")) {
                throw new Failure("'" + name + "' cannot be the name of a file in '" + local + "'; name the file too");
            }
            target = local.resolve(name);
        }
        if (Files.isDirectory(target)) {
            throw new Failure("'" + target + "' is a folder, so no file can have this name");
        }
        if (Files.exists(target) && noClobber) {
            throw new Failure("The file '" + target + "' is there already, and -n was given");
        }
        if (Files.exists(target) && !Files.isRegularFile(target)) {
            throw new Failure("'" + target + "' is not a regular file, so it is not replaced");
        }
        Path folder = target.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new Failure("There is no folder '" + folder + "' for the file");
        }
        return Files.exists(target) ? target.toRealPath() : target;
    }

    private Copier copier(RemoteName server, RnicOptions options, CopySettings settings) throws Failure {
        InetSocketAddress address = Hosts.resolve(server.host(), server.port());
        boolean inline = options.progress() == Progress.INLINE;
        return new Copier(() -> Rnic.open(options), inline, address, settings, listener(), stop);
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
        copy.addTo(figures);
        if (!json && !quiet) {
            terminal.tell(what + ": " + copy.sentence() + ".");
        }
        return true;
    }

    private static Failure noConnection(ConnectionException e, RemoteName server) {
        String said = Copier.refusal(e);
        return switch (e.kind()) {
            case REFUSED ->
                new Failure(Problems.sentence(e) + " Is a server running there? 'verbena serve' starts one.", e);
            case REJECTED -> new Failure(said.isEmpty() ? Problems.sentence(e) : server.host() + " said: " + said, e);
            case TIMED_OUT ->
                new Failure(
                        Problems.sentence(e) + " Check the address and firewalls; --timeout sets how long to wait.", e);
            case FAILED -> new Failure(Problems.sentence(e), e);
        };
    }

    private CopyListener listener() {
        return new CopyListener() {
            @Override
            public ProgressBar bar(String label, long total) {
                return quiet
                        ? ProgressBar.hidden()
                        : new ProgressBar(terminal.err(), terminal.interactive(), label, total);
            }

            @Override
            public void onEvent(String line) {
                if (!quiet) {
                    terminal.say(line);
                }
            }
        };
    }

    private CopySettings settings(RnicOptions options) throws UsageProblem {
        boolean inline = options.progress() == Progress.INLINE;
        int count = connections.orElse(inline ? 1 : 2);
        check(count >= 1 && count <= 64, "--connections must be 1 to 64, not " + count);
        check(
                chunkBytes >= LEAST_CHUNK_BYTES && chunkBytes <= MOST_CHUNK_BYTES,
                "--chunk must be 4 KiB to 16 MiB, not " + chunkBytes);
        check(depth >= 1 && depth <= 60, "--depth must be 1 to 60, not " + depth);
        check(
                !inline || options.captureFile().isEmpty(),
                "With --inline each connection has an RNIC of its own, and --capture writes the frames of one: leave"
                        + " out one of the two");
        return new CopySettings(
                count,
                (int) chunkBytes,
                depth,
                verify,
                sparse == Sparse.AUTO,
                toDisk,
                Seconds.of("--retry-for", retrySeconds, 0),
                connection.timeout(),
                connection.options());
    }

    private static void check(boolean condition, String sentence) throws UsageProblem {
        if (!condition) {
            throw new UsageProblem(sentence);
        }
    }
}
