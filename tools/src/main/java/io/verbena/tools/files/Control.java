package io.verbena.tools.files;

import io.verbena.tools.base.ConnectionLost;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.Stalled;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.ConnectionException;
import java.time.Duration;
import java.util.Optional;

/**
 * The connection of a copy that moves nothing: it opens the file first, keeps it open while others work, looks from time to
 * time whether it is still the same, and ends a store. If it breaks it is made again when it is needed.
 */
final class Control implements AutoCloseable {

    private static final long PAUSE_MS = 100;

    /** A server makes room or forces to disk at least so fast, or it counts as stalled. */
    private static final long LEAST_BYTES_PER_SECOND = 20_000_000;

    private final Dialer dialer;
    private final FileMessage.Open question;
    private final CopySettings settings;
    private final StopSignal stop;
    private Optional<Link> link = Optional.empty();

    Control(Dialer dialer, FileMessage.Open question, CopySettings settings, StopSignal stop) {
        this.dialer = dialer;
        this.question = question;
        this.settings = settings;
        this.stop = stop;
    }

    /** Connects, perhaps to a server that is not up yet, and opens the file. */
    FileMessage.Opened open(CopyListener listener) throws ConnectionException, Failure {
        return opened(keep(dialer.connectWhenUp(listener)));
    }

    private Link keep(Link fresh) {
        link = Optional.of(fresh);
        return fresh;
    }

    /** Opens the file on another connection. */
    FileMessage.Opened opened(Link another) throws Failure {
        return another.ask(question, FileMessage.Opened.class, "the server's file", allowance(question.length()));
    }

    /**
     * How the file is now; empty when the connection is broken, which is no harm.
     *
     * @throws ServerRefuses when the file is gone
     */
    Optional<FileAttributes> look() throws Failure {
        if (link.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(link.get()
                    .ask(new FileMessage.Stat(), FileMessage.Status.class, "the server's answer", settings.timeout())
                    .attributes());
        } catch (ConnectionLost | Stalled e) {
            close();
            return Optional.empty();
        }
    }

    /** How the file is now, with a new connection if need be. */
    FileAttributes insist() throws Failure, ConnectionException {
        return insisting(new FileMessage.Stat(), settings.timeout());
    }

    /** Ends a store. */
    FileAttributes commit(long length, boolean toDisk) throws Failure, ConnectionException {
        return insisting(new FileMessage.Commit(length, toDisk), allowance(length));
    }

    private FileAttributes insisting(FileMessage message, Duration longest) throws Failure, ConnectionException {
        long deadlineNs = System.nanoTime() + settings.retryFor().toNanos();
        while (true) {
            try {
                if (link.isEmpty()) {
                    opened(keep(dialer.connect()));
                }
                return link.orElseThrow()
                        .ask(message, FileMessage.Status.class, "the server's answer", longest)
                        .attributes();
            } catch (ConnectionException | ConnectionLost | Stalled e) {
                close();
                stop.check();
                if (System.nanoTime() - deadlineNs >= 0) {
                    throw e;
                }
            }
            pause();
        }
    }

    private static void pause() throws Failure {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new Failure("Interrupted while a connection was to be made again", e);
        }
    }

    private Duration allowance(long bytes) {
        return settings.timeout().plusSeconds(bytes / LEAST_BYTES_PER_SECOND);
    }

    @Override
    public void close() {
        link.ifPresent(Link::close);
        link = Optional.empty();
    }
}
