package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
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

    @Override
    public void close() {
        shared.ifPresent(Rnic::close);
    }
}
