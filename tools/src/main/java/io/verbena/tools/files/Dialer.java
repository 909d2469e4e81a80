package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.text.Addresses;
import io.verbena.tools.text.Figures;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.net.SocketAddress;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Makes connections to one server, from one RNIC, or with INLINE progress from one RNIC for each connection: such an RNIC
 * belongs to the thread that opened it.
 */
final class Dialer implements AutoCloseable {

    private static final long PAUSE_MS = 100;

    private final Supplier<Rnic> opener;
    private final SocketAddress server;
    private final CopySettings settings;
    private final StopSignal stop;
    private final Optional<Rnic> shared;

    Dialer(Supplier<Rnic> opener, boolean inline, SocketAddress server, CopySettings settings, StopSignal stop) {
        this.opener = opener;
        this.server = server;
        this.settings = settings;
        this.stop = stop;
        this.shared = inline ? Optional.empty() : Optional.of(opener.get());
    }

    /** A connection for the calling thread. */
    Link connect() throws ConnectionException, Failure {
        if (shared.isPresent()) {
            return new Link(shared.get(), server, settings, stop);
        }
        Rnic own = opener.get();
        try {
            return new Link(own, server, settings, stop).owning(own);
        } catch (ConnectionException | Failure | RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /**
     * The first connection of a copy. A server that is not up yet is awaited as long as one that went away.
     *
     * @param listener told once that there is a wait
     */
    Link connectWhenUp(CopyListener listener) throws ConnectionException, Failure {
        long startNs = System.nanoTime();
        for (boolean told = false; ; told = true) {
            try {
                return connect();
            } catch (ConnectionException e) {
                stop.check();
                if (e.kind() != ConnectionException.Kind.REFUSED
                        || System.nanoTime() - startNs >= settings.retryFor().toNanos()) {
                    throw e;
                }
                if (!told) {
                    listener.onEvent("No server listens at " + Addresses.text(server) + " yet; trying again for "
                            + Figures.seconds(settings.retryFor()) + " (--retry-for).");
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
            throw new Failure("Interrupted while the server was awaited", e);
        }
    }

    @Override
    public void close() {
        shared.ifPresent(Rnic::close);
    }
}
