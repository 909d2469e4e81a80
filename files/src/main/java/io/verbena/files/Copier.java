package io.verbena.files;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.protocol.Chunks;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.files.protocol.FileMessage.Entry;
import io.verbena.files.protocol.Greeting;
import io.verbena.files.store.ExportTable;
import io.verbena.files.store.PartFile;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Copies a file from or to a server. */
public final class Copier implements AutoCloseable {

    private static final Duration TICK = Duration.ofMillis(50);
    private static final long LOOK_NS = 5_000_000_000L;
    private static final long SAVE_NS = 1_000_000_000L;
    private static final long MOST_BYTES = 1L << 50;

    private final Dialer dialer;
    private final CopySettings settings;
    private final CopyListener listener;
    private final StopRequest stop;
    private final long client = new SecureRandom().nextLong();
    private final Tally tally = new Tally();
    private final long startNs = System.nanoTime();

    /**
     * Creates a copier that is not connected yet.
     *
     * @param opener opens an RNIC
     * @param inline whether the RNIC has INLINE progress; then each connection opens an RNIC of its own
     */
    public Copier(
            Supplier<Rnic> opener,
            boolean inline,
            SocketAddress server,
            CopySettings settings,
            CopyListener listener,
            StopRequest stop) {
        this(_ -> opener.get(), inline, List.of((InetSocketAddress) server), settings, listener, stop);
    }

    /**
     * Creates a copier for a server with several addresses, such as those of a name. They are tried one after the other, and the first that answers is used.
     *
     * @param opener opens an RNIC that reaches an address
     * @param inline whether the RNIC has INLINE progress; then each connection opens an RNIC of its own
     */
    public Copier(
            Function<InetSocketAddress, Rnic> opener,
            boolean inline,
            List<InetSocketAddress> servers,
            CopySettings settings,
            CopyListener listener,
            StopRequest stop) {
        this.settings = settings;
        this.listener = listener;
        this.stop = stop;
        this.dialer = new Dialer(opener, inline, servers, settings, stop);
    }

    /** The files that the server offers. */
    public List<Offer> list() throws FileServiceException, ConnectionException {
        List<Offer> offers = new ArrayList<>();
        try (Link link = dialer.connectWhenUp(listener)) {
            while (true) {
                FileMessage.Names names = link.ask(
                        new FileMessage.ListFrom(offers.size()),
                        FileMessage.Names.class,
                        "the list of the server",
                        settings.patience().timeout());
                for (Entry entry : names.entries()) {
                    offers.add(new Offer(entry.name(), entry.size(), entry.writable()));
                }
                if (offers.size() > ExportTable.MOST) {
                    listener.onListCut(ExportTable.MOST);
                    return offers.subList(0, ExportTable.MOST);
                }
                if (names.entries().isEmpty() || offers.size() >= names.total()) {
                    return offers;
                }
            }
        }
    }

    /**
     * Fetches a file. What an earlier run left of the same source is used.
     *
     * @param target the local file; it is created or replaced when all bytes are there and verified
     * @throws FileServiceException if the fetch fails; the part that was fetched stays beside the target
     */
    public CopyFigures fetch(String name, Path target) throws FileServiceException, ConnectionException {
        FileMessage.Open question = new FileMessage.Open(client, 0, false, name);
        try (Control control = new Control(dialer, question, settings, stop)) {
            FileMessage.Opened first = control.open(listener);
            FileAttributes source = first.attributes();
            checkRegion(first, source.size());
            Chunks chunks = new Chunks(
                    source.size(), Chunks.fitting(source.size(), settings.work().chunkBytes()));
            Stripe.Transfer transfer = new Stripe.Transfer(chunks, settings, tally);
            try (PartFile part = PartFile.open(
                    target, source, chunks.chunkBytes(), settings.content().sparse())) {
                if (part.resumed()) {
                    listener.onResume(part.file());
                }
                try {
                    work(control, CopyListener.Stage.FETCH, chunks, Optional.of(part), Optional.of(source), link -> {
                        FileMessage.Opened opened = control.opened(link);
                        checkUnchanged(source, opened.attributes());
                        checkRegion(opened, source.size());
                        new FetchStripe(link, opened.region(), transfer, part, source).run();
                    });
                } catch (FileServiceException | ConnectionException | RuntimeException e) {
                    part.saveIfPossible(chunks.done());
                    throw e;
                }
                checkUnchanged(source, control.insist());
                part.finish(settings.content().toDisk());
            }
            return figures(source.size());
        }
    }

    /**
     * Stores a local file into one that the server offers for writing.
     *
     * @param update whether to compare checksums first and write only the chunks that differ
     */
    public CopyFigures store(Path source, String name, boolean update)
            throws FileServiceException, ConnectionException {
        try (FileChannel channel = FileChannel.open(source, StandardOpenOption.READ)) {
            long length = channel.size();
            FileMessage.Open question = new FileMessage.Open(client, length, true, name);
            boolean look = update;
            while (true) {
                try (Control control = new Control(dialer, question, settings, stop)) {
                    store(control, channel, length, look);
                    return figures(length);
                } catch (ServerRestarted e) {
                    listener.onServerRestart();
                    look = true;
                }
            }
        } catch (ConnectionException e) {
            throw e;
        } catch (IOException e) {
            throw new FileServiceException("The file '" + source + "' cannot be read: " + IoReasons.of(e), e);
        }
    }

    private void store(Control control, FileChannel channel, long length, boolean look)
            throws FileServiceException, ConnectionException {
        FileMessage.Opened first = control.open(listener);
        checkRegion(first, length);
        Chunks chunks =
                new Chunks(length, Chunks.fitting(length, settings.work().chunkBytes()));
        Stripe.Transfer transfer = new Stripe.Transfer(chunks, settings, tally);
        work(control, CopyListener.Stage.STORE, chunks, Optional.empty(), Optional.empty(), link -> {
            FileMessage.Opened opened = control.opened(link);
            if (opened.server() != first.server()) {
                throw new ServerRestarted();
            }
            checkRegion(opened, length);
            new StoreStripe(link, opened.region(), transfer, channel, look).run();
        });
        FileAttributes after = control.commit(length, settings.content().toDisk());
        if (after.size() != length) {
            throw new FileServiceException("The server's file has " + after.size() + " bytes after a store of " + length
                    + " bytes; store it again");
        }
    }

    /** Runs the connections, reports and saves their progress, and checks that the source does not change. */
    private void work(
            Control control,
            CopyListener.Stage stage,
            Chunks chunks,
            Optional<PartFile> part,
            Optional<FileAttributes> source,
            Crew.Share share)
            throws FileServiceException, ConnectionException {
        listener.onBegin(stage, chunks.bytes());
        try (Crew crew = new Crew(dialer, chunks, settings, tally, stop)) {
            crew.start(share);
            long lookNs = System.nanoTime();
            long saveNs = lookNs;
            while (crew.working()) {
                crew.await(TICK);
                listener.onProgress(chunks.finishedBytes());
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
            throw new FileServiceException("Interrupted before the copy was complete", e);
        } finally {
            listener.onEnd();
        }
    }

    /** The reason that a server gave when it rejected the connection; empty if it gave none. */
    public static String refusal(ConnectionException e) {
        return Greeting.refusal(e.privateData());
    }

    private CopyFigures figures(long bytes) {
        return CopyFigures.of(bytes, tally, settings.content().verify(), System.nanoTime() - startNs);
    }

    private static void checkRegion(FileMessage.Opened opened, long bytes) throws FileServiceException {
        if (bytes > MOST_BYTES) {
            throw new FileServiceException("The server says that the file has " + bytes + " bytes, and at most "
                    + MOST_BYTES + " can be copied");
        }
        if (opened.region().length() < bytes) {
            throw new FileServiceException(
                    "The server registered " + opened.region().length() + " bytes of memory for a file of " + bytes
                            + " bytes, so the rest is out of reach");
        }
    }

    /** Fails if the file changed during a fetch: its chunks would be of different versions. */
    static void checkUnchanged(FileAttributes before, FileAttributes now) throws FileServiceException {
        if (now.size() < before.size()) {
            throw new FileServiceException("The file became shorter at the server during the fetch: it had "
                    + before.size() + " bytes and now has " + now.size()
                    + "; run the command again to fetch the current version");
        }
        if (now.size() != before.size()
                || now.modifiedNs() != before.modifiedNs()
                || now.identity() != before.identity()) {
            throw new FileServiceException(
                    "The file changed at the server during the fetch; run the command again to fetch the current"
                            + " version");
        }
    }

    @Override
    public void close() {
        dialer.close();
    }

    /**
     * A file that a server offers.
     *
     * @param size bytes; negative if the server cannot access the file
     */
    public record Offer(String name, long size, boolean writable) {}

    /** What was written to the earlier server may be lost. */
    private static final class ServerRestarted extends FileServiceException {

        private static final long serialVersionUID = 1L;

        ServerRestarted() {
            super("The server was restarted");
        }
    }
}
