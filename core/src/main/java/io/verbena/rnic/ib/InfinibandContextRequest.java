package io.verbena.rnic.ib;

import io.verbena.base.PacketPath;
import io.verbena.ib.cm.CmOffer;
import io.verbena.rnic.ib.terms.ConnectionTerms;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.EndToEndContext;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReliableDatagramDomain;
import java.net.InetSocketAddress;

/** The REQ of a peer for an end-to-end context as seen by the application. */
final class InfinibandContextRequest extends CmRequest {

    InfinibandContextRequest(
            InfinibandListener listener,
            int number,
            PacketPath from,
            CmOffer offer,
            InetSocketAddress remote,
            long deadlineNs) {
        super(listener, number, from, offer, remote, deadlineNs);
    }

    @Override
    public boolean forContext() {
        return true;
    }

    @Override
    public Connection startAccept(QueuePair queuePair, ConnectionOptions options) {
        throw new UnsupportedOperationException(
                "The peer requests an end-to-end context of reliable datagrams, not a connection; call acceptContext.");
    }

    @Override
    public EndToEndContext startAcceptContext(ReliableDatagramDomain domain, ConnectionOptions options) {
        if (!(domain instanceof InfinibandDatagramDomain infinibandDatagramDomain)
                || infinibandDatagramDomain.context() != listener().context()) {
            throw new IllegalArgumentException("the reliable datagram domain was not allocated by this RNIC");
        }
        decide();
        InfinibandContext infinibandContext;
        try {
            infinibandContext = infinibandDatagramDomain.newContext(
                    (InetSocketAddress) remoteAddress(), options, ConnectionTerms.MOST_REPLY_BYTES);
        } catch (RuntimeException e) {
            undecide();
            throw e;
        }
        decided(() -> infinibandContext.endpoint().accept(number(), offer(), from()));
        return infinibandContext;
    }
}
