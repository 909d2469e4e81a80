package io.verbena.messaging.channel;

import io.verbena.messaging.ring.ChannelGreeting;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ListenOptions;
import io.verbena.verbs.Listener;
import java.io.IOException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The listener of an endpoint: passes on the connection requests that carry a valid greeting and rejects the others. */
final class ChannelAcceptor {

    /** Private data of a rejection by the endpoint. A rejection by an RNIC whose application did not respond has none. */
    private static final byte[] REJECTION = {1};

    /** The shortest time that a peer may take for its request. */
    private static final Duration LEAST = Duration.ofSeconds(5);

    private final Endpoint endpoint;
    private @Nullable Listener listener;
    private volatile boolean requestsWait;

    ChannelAcceptor(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    SocketAddress listen(SocketAddress address) throws IOException {
        Listener created =
                endpoint.rnic().listen(address, ListenOptions.defaults().withStartUpTimeout(startUpTimeout()));
        listener = created;
        created.onReady(() -> requestsWait = true);
        return created.localAddress();
    }

    /**
     * How long a peer may take for its request, which is a rank of the job that perhaps has no processor just now: on a
     * crowded machine, ranks that start have been seen to take longer than five seconds. It is shorter than the time
     * that the peer waits itself, so that an application which does not answer is seen as that.
     */
    private Duration startUpTimeout() {
        Duration most = endpoint.options().connectTimeout().multipliedBy(2).dividedBy(3);
        return most.compareTo(LEAST) > 0 ? most : LEAST;
    }

    /** Handles the requests that wait. */
    void acceptRequests() {
        if (!requestsWait) {
            return;
        }
        requestsWait = false;
        Listener currentListener = listener;
        while (currentListener != null && !currentListener.closed()) {
            Optional<ConnectionRequest> request = currentListener.nextRequest(Duration.ZERO);
            if (request.isEmpty()) {
                return;
            }
            handle(request.get());
        }
    }

    private void handle(ConnectionRequest request) {
        Optional<ChannelGreeting> greeting = ChannelGreeting.of(request.privateData());
        ChannelOptions options = endpoint.options();
        if (greeting.isEmpty()
                || !endpoint.rings().budget().holds(options.controlBytes())
                || greeting.get().virtualChannels() != options.virtualChannels()
                || greeting.get().words().sends(endpoint.words()).isEmpty()
                || !endpoint.listener().admits(greeting.get().hello())) {
            request.reject(REJECTION);
            return;
        }
        endpoint.accept(request, greeting.get());
    }

    void close() {
        Listener currentListener = listener;
        if (currentListener != null) {
            currentListener.close();
        }
    }
}
