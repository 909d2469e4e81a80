package io.verbena.files;

import io.verbena.files.failure.ConnectionLost;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.ServerRefuses;
import io.verbena.files.failure.Stalled;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.verbs.ConnectionException;
import java.time.Duration;
import java.util.Optional;

/**
 * The connection of a copy that moves no data. It opens the file first and keeps it open while the other connections work,
 * checks from time to time that the file has not changed, and commits a store. If it breaks it is established again when
 * it is needed.
 */
public final class Control implements AutoCloseable {

    private static final long PAUSE_MS = 100;

    /** A server that extends a file or forces it to disk more slowly than this is treated as stalled. */
    private static final long LEAST_BYTES_PER_SECOND = 20_000_000;

    private final Dialer dialer;
    private final FileMessage.Open question;
    private final CopySettings settings;
    private final StopRequest stop;
    private Optional<Link> link = Optional.empty();

    Control(Dialer dialer, FileMessage.Open question, CopySettings settings, StopRequest stop) {
        this.dialer = dialer;
        this.question = question;
        this.settings = settings;
        this.stop = stop;
    }

    /** Connects, waiting for a server that does not listen yet or has no place, and opens the file. */
    FileMessage.Opened open(CopyListener listener) throws ConnectionException, FileServiceException {
        Attempts attempts = new Attempts(settings.patience().retryFor());
        while (true) {
            try {
                return opened(keep(dialer.connectWhenUp(listener)));
            } catch (ConnectionLost | Stalled e) {
                close();
                stop.check();
                if (attempts.inVain(0)) {
                    throw e;
                }
            }
            pause();
        }
    }

    private Link keep(Link fresh) {
        link = Optional.of(fresh);
        return fresh;
    }

    /** Opens the file on another connection. */
    FileMessage.Opened opened(Link another) throws FileServiceException {
        return another.ask(
                question, FileMessage.Opened.class, "the server to open the file", allowance(question.length()));
    }

    /**
     * The current attributes of the file; empty if the connection broke, which does no harm.
     *
     * @throws ServerRefuses if the file is gone
     */
    Optional<FileAttributes> look() throws FileServiceException {
        if (link.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(link.get()
                    .ask(
                            new FileMessage.Stat(),
                            FileMessage.Status.class,
                            "the answer of the server",
                            settings.patience().timeout())
                    .attributes());
        } catch (ConnectionLost | Stalled e) {
            close();
            return Optional.empty();
        }
    }

    /** The current attributes of the file, over a new connection if necessary. */
    FileAttributes insist() throws FileServiceException, ConnectionException {
        return insisting(new FileMessage.Stat(), settings.patience().timeout());
    }

    /** Commits a store, over a new connection if necessary. */
    FileAttributes commit(long length, boolean toDisk) throws FileServiceException, ConnectionException {
        return insisting(new FileMessage.Commit(length, toDisk), allowance(length));
    }

    private FileAttributes insisting(FileMessage message, Duration longest)
            throws FileServiceException, ConnectionException {
        Attempts attempts = new Attempts(settings.patience().retryFor());
        while (true) {
            try {
                if (link.isEmpty()) {
                    opened(keep(dialer.connect()));
                }
                return link.orElseThrow()
                        .ask(message, FileMessage.Status.class, "the answer of the server", longest)
                        .attributes();
            } catch (ConnectionException | ConnectionLost | Stalled e) {
                close();
                stop.check();
                if (attempts.inVain(0)) {
                    throw e;
                }
            }
            pause();
        }
    }

    private static void pause() throws FileServiceException {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FileServiceException("Interrupted while reconnecting to the server", e);
        }
    }

    private Duration allowance(long bytes) {
        return settings.patience().timeout().plusSeconds(bytes / LEAST_BYTES_PER_SECOND);
    }

    @Override
    public void close() {
        link.ifPresent(Link::close);
        link = Optional.empty();
    }
}
