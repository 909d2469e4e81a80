package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.files.FileMessage.Entry;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Copies one file from or to a server. */
public final class Copier implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(50);
    private static final long LOOK_NS = 5_000_000_000L;
    private static final long SAVE_NS = 1_000_000_000L;
    private static final long MOST_BYTES = 1L << 50;

    private final Dialer dialer;
    private final CopySettings settings;
    private final CopyListener listener;
    private final StopSignal stop;
    private final long client = new SecureRandom().nextLong();
    private final Tally tally = new Tally();
    private final long startNs = System.nanoTime();

    /**
     * A copier that is not connected yet.
     *
     * @param opener opens an RNIC
     * @param inline whether such an RNIC belongs to one thread
     */
    public Copier(
            Supplier<Rnic> opener,
            boolean inline,
            SocketAddress server,
            CopySettings settings,
            CopyListener listener,
            StopSignal stop) {
        this.settings = settings;
        this.listener = listener;
        this.stop = stop;
        this.dialer = new Dialer(opener, inline, server, settings, stop);
    }

    /** What the server offers: name, size and whether it is for writing, a line each. */
    public List<Offer> list() throws Failure, ConnectionException {
        List<Offer> offers = new ArrayList<>();
        try (Link link = dialer.connectWhenUp(listener)) {
            while (true) {
                FileMessage.Names names = link.ask(
                        new FileMessage.ListFrom(offers.size()),
                        FileMessage.Names.class,
                        "the server's list",
                        settings.timeout());
                for (Entry entry : names.entries()) {
                    offers.add(new Offer(entry.name(), entry.size(), entry.writable()));
                }
                if (offers.size() > ExportTable.MOST) {
                    listener.onEvent("The list is cut after " + Figures.count(ExportTable.MOST)
                            + " names: no server of this version offers more.");
                    return offers.subList(0, ExportTable.MOST);
                }
                if (names.entries().isEmpty() || offers.size() >= names.total()) {
                    return offers;
                }
            }
        }
    }

    /**
     * Fetches a file; what an earlier run left is used.
     *
     * @param target gets the bytes, and its name only when they are all there and right
     * @throws Failure with a sentence; a half-fetched file stays beside the target
     */
    public CopyFigures fetch(String name, Path target) throws Failure, ConnectionException {
        FileMessage.Open question = new FileMessage.Open(client, 0, false, name);
        try (Control control = new Control(dialer, question, settings, stop)) {
            FileMessage.Opened first = control.open(listener);
            FileAttributes source = first.attributes();
            checkRegion(first, source.size());
            Chunks chunks = new Chunks(source.size(), Chunks.fitting(source.size(), settings.chunkBytes()));
            try (PartFile part = PartFile.open(target, source, chunks.chunkBytes(), settings.sparse())) {
                if (part.resumed()) {
                    listener.onEvent("Going on with what is in '" + target + ".part'.");
                }
                try {
                    work(control, "Fetching", chunks, Optional.of(part), Optional.of(source), link -> {
                        FileMessage.Opened opened = control.opened(link);
                        checkUnchanged(source, opened.attributes());
                        checkRegion(opened, source.size());
                        new FetchStripe(link, opened.region(), chunks, settings, tally, part, source).run();
                    });
                } catch (Failure | ConnectionException | RuntimeException e) {
                    part.saveIfPossible(chunks.done());
                    throw e;
                }
                checkUnchanged(source, control.insist());
                part.finish(settings.toDisk());
            }
            return figures(source.size());
        }
    }

    /**
     * Stores a file into one that the server offers for writing.
     *
     * @param update whether to write only what differs
     */
    public CopyFigures store(Path source, String name, boolean update) throws Failure, ConnectionException {
        try (FileChannel channel = FileChannel.open(source, StandardOpenOption.READ)) {
            long length = channel.size();
            FileMessage.Open question = new FileMessage.Open(client, length, true, name);
            boolean look = update;
            while (true) {
                try (Control control = new Control(dialer, question, settings, stop)) {
                    store(control, channel, length, look);
                    return figures(length);
                } catch (ServerRestarted e) {
                    listener.onEvent("The server was started again; looking whether it has what was written.");
                    look = true;
                }
            }
        } catch (ConnectionException e) {
            throw e;
        } catch (IOException e) {
            throw new Failure("The file '" + source + "' cannot be read: " + IoReasons.of(e), e);
        }
    }

    private void store(Control control, FileChannel channel, long length, boolean look)
            throws Failure, ConnectionException {
        FileMessage.Opened first = control.open(listener);
        checkRegion(first, length);
        Chunks chunks = new Chunks(length, Chunks.fitting(length, settings.chunkBytes()));
        work(control, "Storing", chunks, Optional.empty(), Optional.empty(), link -> {
            FileMessage.Opened opened = control.opened(link);
            if (opened.server() != first.server()) {
                throw new ServerRestarted();
            }
            checkRegion(opened, length);
            new StoreStripe(link, opened.region(), chunks, settings, tally, channel, look).run();
        });
        FileAttributes after = control.commit(length, settings.toDisk());
        if (after.size() != length) {
            throw new Failure("The server's file has " + after.size() + " bytes after " + length + " were stored");
        }
    }

    /** Lets the connections work; shows how far they are, notes it, and looks whether the source is still the same. */
    private void work(
            Control control,
            String label,
            Chunks chunks,
            Optional<PartFile> part,
            Optional<FileAttributes> source,
            Crew.Share share)
            throws Failure, ConnectionException {
        ProgressBar bar = listener.bar(label, chunks.count() == 0 ? 0 : length(chunks));
        try (Crew crew = new Crew(dialer, chunks, settings, tally, stop)) {
            crew.start(share);
            long lookNs = System.nanoTime();
            long saveNs = lookNs;
            while (crew.working()) {
                crew.await(TICK);
                bar.updateBytes(chunks.finishedBytes(), startNs);
                long nowNs = System.nanoTime();
                if (nowNs - saveNs >= SAVE_NS && part.isPresent()) {
                    part.get().save(chunks.done());
                    saveNs = nowNs;
                }
                if (nowNs - lookNs >= LOOK_NS) {
                    Optional<FileAttributes> now = control.look();
                    if (source.isPresent() && now.isPresent()) {
                        checkUnchanged(source.get(), now.get());
                    }
                    lookNs = System.nanoTime();
                }
            }
            crew.check();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("Interrupted before the end", e);
        } finally {
            bar.clear();
        }
    }

    private static long length(Chunks chunks) {
        return chunks.offset(chunks.count() - 1) + chunks.length(chunks.count() - 1);
    }

    /** What a server said when it turned us away; empty when it said nothing. */
    public static String refusal(ConnectionException e) {
        return Greeting.refusal(e.privateData());
    }

    private CopyFigures figures(long bytes) {
        return CopyFigures.of(bytes, tally, settings.verify(), System.nanoTime() - startNs);
    }

    private static void checkRegion(FileMessage.Opened opened, long bytes) throws Failure {
        if (bytes > MOST_BYTES) {
            throw new Failure("The file has " + bytes + " bytes, according to the server, and at most " + MOST_BYTES
                    + " can be copied");
        }
        if (opened.region().length() < bytes) {
            throw new Failure("The server registered " + opened.region().length() + " bytes of memory for a file of "
                    + bytes + " bytes, so the rest cannot be reached");
        }
    }

    /** A file that changes while it is fetched is of no use. */
    static void checkUnchanged(FileAttributes before, FileAttributes now) throws Failure {
        if (now.size() < before.size()) {
            throw new Failure("The file became shorter at the server while it was fetched: it had " + before.size()
                    + " bytes and now has " + now.size() + "; run it again to fetch it as it is now");
        }
        if (now.size() != before.size()
                || now.modifiedNs() != before.modifiedNs()
                || now.identity() != before.identity()) {
            throw new Failure(
                    "The file changed at the server while it was fetched; run it again to fetch it as it is now");
        }
    }

    @Override
    public void close() {
        dialer.close();
    }

    /**
     * What a server has.
     *
     * @param size bytes; negative when the server cannot reach it
     */
    public record Offer(String name, long size, boolean writable) {}

    /** What was written before may be lost with the machine that it was on. */
    private static final class ServerRestarted extends Failure {

        private static final long serialVersionUID = 1L;

        ServerRestarted() {
            super("The server was started again");
        }
    }
}
