package io.verbena.files;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.protocol.Greeting;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.Rnic;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;

/**
 * Connects to one server. All connections share an RNIC, or with INLINE progress each opens its own: such an RNIC belongs to
 * the thread that opened it.
 */
final class Dialer implements AutoCloseable {

    private static final long PAUSE_MS = 100;
    private static final long LONGEST_PAUSE_MS = 1_000;

    private final Function<InetSocketAddress, Rnic> opener;
    private final boolean inline;
    private final CopySettings settings;
    private final StopRequest stop;

    /** The addresses of the server. The first is used; it is the only one when a connection has been established. */
    private volatile List<InetSocketAddress> servers;

    private volatile Optional<Rnic> shared;

    Dialer(
            Function<InetSocketAddress, Rnic> opener,
            boolean inline,
            List<InetSocketAddress> servers,
            CopySettings settings,
            StopRequest stop) {
        this.opener = opener;
        this.inline = inline;
        this.servers = List.copyOf(servers);
        this.settings = settings;
        this.stop = stop;
        this.shared = inline ? Optional.empty() : Optional.of(opener.apply(server()));
    }

    private InetSocketAddress server() {
        return servers.getFirst();
    }

    /** Establishes a connection for the calling thread. */
    Link connect() throws ConnectionException, FileServiceException {
        if (shared.isPresent()) {
            return new Link(shared.get(), server(), settings, stop);
        }
        Rnic own = opener.apply(server());
        try {
            return new Link(own, server(), settings, stop).owning(own);
        } catch (ConnectionException | FileServiceException | RuntimeException e) {
            own.close();
            throw e;
        }
    }

    /**
     * Establishes the first connection of a copy. Waits for a server that does not listen yet, does not answer or has no place for another
     * client as long as for one that went away.
     *
     * @param listener notified once if there is no server yet
     */
    Link connectWhenUp(CopyListener listener) throws ConnectionException, FileServiceException {
        long startNs = System.nanoTime();
        boolean notified = false;
        boolean hope = false;
        int tried = 1;
        for (long pauseMs = PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
            try {
                Link link = connect();
                servers = List.of(server());
                return link;
            } catch (ConnectionException e) {
                stop.check();
                hope |= mayPass(e);
                next();
                if (tried++ % servers.size() != 0) {
                    continue;
                }
                if (!hope
                        || System.nanoTime() - startNs
                                >= settings.patience().retryFor().toNanos()) {
                    throw e;
                }
                if (!notified && e.kind() != ConnectionException.Kind.REJECTED) {
                    notified = true;
                    listener.onServerAbsent(server(), settings.patience().retryFor());
                }
                hope = false;
            }
            // All clients that wait for a place of a full server ask again. A server that does not listen costs
            // nothing.
            pause(notified ? PAUSE_MS : ThreadLocalRandom.current().nextLong(pauseMs / 2, pauseMs + 1));
        }
    }

    /** The next address of the server, from which an RNIC of another device may be needed. */
    private void next() {
        if (servers.size() > 1) {
            List<InetSocketAddress> order = new ArrayList<>(servers);
            order.addLast(order.removeFirst());
            servers = List.copyOf(order);
            close();
            shared = inline ? Optional.empty() : Optional.of(opener.apply(server()));
        }
    }

    /**
     * Whether another attempt may succeed: nothing listens yet, a peer without a processor has not answered in time, or the server is at a
     * limit. A rejection without a reason comes from the RNIC of the server, which is out of resources: the server itself states one.
     */
    private static boolean mayPass(ConnectionException e) {
        return switch (e.kind()) {
            case REFUSED, TIMED_OUT -> true;
            case REJECTED -> e.privateData().length == 0 || Greeting.isBusy(e.privateData());
            default -> false;
        };
    }

    private static void pause(long milliseconds) throws FileServiceException {
        try {
            Thread.sleep(milliseconds);
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
