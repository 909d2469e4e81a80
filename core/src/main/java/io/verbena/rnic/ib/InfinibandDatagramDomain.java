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
        InfinibandContext infinibandContext = newContext(remote, options, RequestData.MOST_BYTES);
        port.submit(infinibandContext.endpoint()::dial);
        return infinibandContext;
    }

    /** A new context, which is not set up. */
    InfinibandContext newContext(SocketAddress remote, ConnectionOptions options, int mostPrivateBytes) {
        checkOpen();
        engine().checkCaller();
        InfinibandContext infinibandContext = new InfinibandContext(this, remote, options, mostPrivateBytes);
        boolean added = false;
        try {
            add(infinibandContext);
            added = true;
        } finally {
            if (!added) {
                infinibandContext.release();
            }
        }
        return infinibandContext;
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
