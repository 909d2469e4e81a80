package io.verbena.files;

import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Connects to one server. All connections share an RNIC, or with INLINE progress each opens its own: such an RNIC belongs to
 * the thread that opened it.
 */
final class Dialer implements AutoCloseable {

    private static final long PAUSE_MS = 100;

    private final Supplier<Rnic> opener;
    private final SocketAddress server;
    private final CopySettings settings;
    private final StopRequest stop;
    private final Optional<Rnic> shared;

    Dialer(Supplier<Rnic> opener, boolean inline, SocketAddress server, CopySettings settings, StopRequest stop) {
        this.opener = opener;
        this.server = server;
        this.settings = settings;
        this.stop = stop;
        this.shared = inline ? Optional.empty() : Optional.of(opener.get());
    }

    /** Establishes a connection for the calling thread. */
    Link connect() throws ConnectionException, FileServiceException {
        if (shared.isPresent()) {
            return new Link(shared.get(), server, settings, stop);
        }
        Rnic own = opener.get();
        try {
            return new Link(own, server, settings, stop).owning(own);
        } catch (ConnectionException | FileServiceException | RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /**
     * Establishes the first connection of a copy. Waits for a server that does not listen yet, or whose host does not answer yet,
     * as long as for one that went away.
     *
     * @param listener notified once if there is no server yet
     */
    Link connectWhenUp(CopyListener listener) throws ConnectionException, FileServiceException {
        long startNs = System.nanoTime();
        for (boolean notified = false; ; notified = true) {
            try {
                return connect();
            } catch (ConnectionException e) {
                stop.check();
                if (!mayPass(e.kind())
                        || System.nanoTime() - startNs >= settings.retryFor().toNanos()) {
                    throw e;
                }
                if (!notified) {
                    listener.onServerAbsent(server, settings.retryFor());
                }
            }
            pause();
        }
    }

    /** Whether an attempt that fails for this reason may succeed later: nothing listens yet, or the host does not answer yet. */
    private static boolean mayPass(ConnectionException.Kind kind) {
        return kind == ConnectionException.Kind.REFUSED || kind == ConnectionException.Kind.TIMED_OUT;
    }

    private static void pause() throws FileServiceException {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FileServiceException("Interrupted while waiting for the server to listen", e);
        }
    }

    @Override
    public void close() {
        shared.ifPresent(Rnic::close);
    }
}
