package io.verbena.bench.side.peer;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucp.UcpEndpointParams;
import org.openucx.jucx.ucp.UcpParams;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucp.UcpWorker;
import org.openucx.jucx.ucp.UcpWorkerParams;

/**
 * UCX from Java: a context, a worker and an endpoint on each side, over TCP as the environment of the process says. Never
 * closed: an endpoint that is destroyed waits for its peer, which no thread drives then. Each row has a process of its own, whose
 * end sees to it.
 */
final class JucxPair {

    /** One side. */
    static final class Side {
        final UcpContext context;
        final UcpWorker worker;
        UcpEndpoint endpoint;

        @SuppressWarnings("NullAway") // the endpoint needs the other side's address: set right after both are made
        Side() {
            context = new UcpContext(new UcpParams().requestTagFeature().requestRmaFeature());
            worker = context.newWorker(new UcpWorkerParams());
        }

        void connect(ByteBuffer address) {
            endpoint = worker.newEndpoint(new UcpEndpointParams().setUcpAddress(address));
        }

        /** Drives this side until a request is complete. */
        void await(UcpRequest request) throws Exception {
            while (!request.isCompleted()) {
                worker.progress();
            }
        }
    }

    static final UcxCallback NOTHING = new UcxCallback();

    final Side client = new Side();
    final Side server = new Side();

    JucxPair() {
        client.connect(server.worker.getAddress());
        server.connect(client.worker.getAddress());
    }
}
