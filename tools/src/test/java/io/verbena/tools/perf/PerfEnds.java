package io.verbena.tools.perf;

import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** A server in a thread of its own, and what a client needs. */
final class PerfEnds implements AutoCloseable {

    static final Duration LONGEST = Duration.ofSeconds(30);
    static final byte[] TOKEN = new byte[PerfSettings.TOKEN_BYTES];

    final StopSignal stop = new StopSignal();
    final List<String> log = new CopyOnWriteArrayList<>();
    private final CompletableFuture<SocketAddress> address = new CompletableFuture<>();
    private final Thread thread;

    PerfEnds(Progress progress, Optional<byte[]> token) {
        thread = Thread.ofPlatform().daemon().start(() -> serve(progress, token));
    }

    private void serve(Progress progress, Optional<byte[]> token) {
        RnicOptions options = RnicOptions.defaults().withProgress(progress);
        try (Rnic rnic = Rnic.open(options);
                Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            address.complete(listener.localAddress());
            new PerfServer(rnic, options, connection(), token, log::add, stop).serve(listener);
        } catch (IOException | RuntimeException e) {
            address.completeExceptionally(e);
        }
    }

    static ConnectionOptions connection() {
        return ConnectionOptions.defaults().withTimeout(LONGEST);
    }

    SocketAddress address() throws Exception {
        return address.get(30, TimeUnit.SECONDS);
    }

    static PerfSettings settings(int maxBytes, int queuePairs, int depth, Progress progress, byte[] token) {
        return new PerfSettings(
                token, new PerfSettings.Load(maxBytes, queuePairs, depth), progress, LONGEST, connection());
    }

    PerfClient connect(Rnic rnic, PerfSettings settings) throws Exception {
        try {
            return new PerfClient(rnic, address(), settings, stop);
        } catch (ConnectionException | Failure e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    @Override
    public void close() throws InterruptedException {
        stop.raise();
        thread.join(30_000);
    }
}
