package io.verbena.rnic.ib;

import io.verbena.rnic.datagram.SoftEndToEndContext;
import io.verbena.rnic.ib.terms.RdTerms;
import io.verbena.verbs.ConnectionException.Kind;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionState;
import java.net.InetSocketAddress;
import java.net.SocketAddress;

/** An end-to-end context of a port as seen by the application. {@link RdEndpoint} is its part on the engine. */
final class InfinibandContext extends SoftEndToEndContext {

    private final InfinibandPort port;
    private final RdEndpoint endpoint;

    InfinibandContext(
            InfinibandDatagramDomain domain, SocketAddress remote, ConnectionOptions options, int mostPrivateBytes) {
        super(
                domain,
                domain.port().contexts().reserve(domain.context().environment().random()),
                remote);
        port = domain.port();
        boolean complete = false;
        try {
            int psn = domain.context().environment().random().nextInt();
            endpoint =
                    new RdEndpoint(this, domain, new RdTerms(number(), psn, options, port.limits(), mostPrivateBytes));
            complete = true;
        } finally {
            if (!complete) {
                release();
            }
        }
    }

    RdEndpoint endpoint() {
        return endpoint;
    }

    @Override
    protected void disconnect() {
        port.submit(endpoint::leave);
    }

    @Override
    protected void release() {
        port.contexts().release(number());
    }

    // On the engine.

    void established(InetSocketAddress local, InetSocketAddress remote) {
        addresses(local, remote);
        moved(ConnectionState.ESTABLISHED, "");
    }

    void peersData(byte[] data) {
        privateData(data);
    }

    void closing() {
        moved(ConnectionState.CLOSING, "");
    }

    void closed(String sentence) {
        moved(ConnectionState.CLOSED, sentence);
    }

    void failed(Kind kind, String sentence) {
        failureKind(kind);
        moved(kind == Kind.REJECTED ? ConnectionState.REJECTED : ConnectionState.FAILED, sentence);
    }
}
