package io.verbena.host.socket;

import io.verbena.host.engine.EngineLoop;
import io.verbena.host.system.Sentences;
import io.verbena.port.PacketEvents;
import io.verbena.port.PacketLoop;
import io.verbena.port.PacketPort;
import io.verbena.text.AddressText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Opens the packet ports of an engine from any thread: a loop opens them in the thread that drives it, so other threads wait for
 * that thread. A listener is opened by any thread, and reports an address that is in use to its caller.
 */
public final class OwnedPackets implements PacketLoop {

    private static final long TIMEOUT_S = 10;

    private final EngineLoop loop;
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private volatile boolean driven;

    /** A port that another thread waits for. */
    private record Request(InetSocketAddress local, PacketEvents events, CompletableFuture<PacketPort> port) {}

    public OwnedPackets(EngineLoop loop) {
        this.loop = loop;
    }

    @Override
    public PacketPort open(InetSocketAddress local, PacketEvents events) throws IOException {
        if (!driven) {
            return loop.open(local, events);
        }
        if (loop.owned() && loop.hold()) {
            try {
                return loop.open(local, events);
            } finally {
                loop.letGo();
            }
        }
        Request request = new Request(local, events, new CompletableFuture<>());
        requests.add(request);
        loop.wakeup();
        try {
            return request.port().get(TIMEOUT_S, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IOException(Sentences.reason(e.getCause() instanceof IOException cause ? cause : e), e);
        } catch (TimeoutException e) {
            request.port().cancel(false);
            throw new IOException(
                    "the engine did not open the port " + AddressText.of(local) + " within " + TIMEOUT_S + " s", e);
        } catch (InterruptedException e) {
            request.port().cancel(false);
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the port " + AddressText.of(local) + " was being opened", e);
        }
    }

    /** Opens the ports that other threads wait for. In the driving thread. */
    public void serve() {
        driven = true;
        Request request;
        while ((request = requests.poll()) != null) {
            if (request.port().isDone()) {
                continue;
            }
            try {
                PacketPort port = loop.open(request.local(), request.events());
                if (!request.port().complete(port)) {
                    port.close(); // the other thread has given up
                }
            } catch (IOException | RuntimeException e) {
                request.port().completeExceptionally(e);
            }
        }
    }
}
