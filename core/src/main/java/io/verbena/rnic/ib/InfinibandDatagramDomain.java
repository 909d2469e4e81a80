package io.verbena.rnic.ib;

import io.verbena.rnic.ib.terms.RequestData;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.EndToEndContext;
import java.net.SocketAddress;

/** A reliable datagram domain of a port. */
final class InfinibandDatagramDomain extends ReliableDatagrams {

    private final InfinibandPort port;

    InfinibandDatagramDomain(InfinibandPort port) {
        super(port.context(), port.engine());
        this.port = port;
    }

    InfinibandPort port() {
        return port;
    }

    @Override
    public EndToEndContext startConnect(SocketAddress remote, ConnectionOptions options) {
        InfinibandContext made = newContext(remote, options, RequestData.MOST_BYTES);
        port.submit(made.endpoint()::dial);
        return made;
    }

    /** A new context, which is not set up. */
    InfinibandContext newContext(SocketAddress remote, ConnectionOptions options, int mostPrivateBytes) {
        checkOpen();
        engine().checkCaller();
        InfinibandContext made = new InfinibandContext(this, remote, options, mostPrivateBytes);
        boolean added = false;
        try {
            add(made);
            added = true;
        } finally {
            if (!added) {
                made.release();
            }
        }
        return made;
    }

    @Override
    boolean wake(int number) {
        if (port.contexts().find(number) instanceof RdEndpoint found && found.domain() == this) {
            engine().ready(found);
            return true;
        }
        return false;
    }
}
