package io.verbena.messaging.channel;

import io.verbena.messaging.ScriptedPeer;
import io.verbena.messaging.protocol.Acknowledgement;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;

/** An endpoint whose only peer is played by the test; the clock is the test's own. */
final class ScriptedEndpoint implements AutoCloseable {

    final Inbox inbox = new Inbox();
    final ScriptedPeer peer;

    /** The first ring of the endpoint. */
    final Acknowledgement ring;

    long nowNs;

    private final Rnic rnic = Rnic.open(RnicOptions.defaults().withProgress(Progress.INLINE));
    private final Endpoint endpoint;

    ScriptedEndpoint(ChannelOptions options) throws IOException {
        endpoint = new Endpoint(rnic, options, inbox, () -> nowNs, new Random(1));
        peer = new ScriptedPeer(
                endpoint.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), endpoint::progress);
        ring = peer.acknowledgement(1);
        peer.grant();
    }

    /** The channel to the peer. */
    Channel channel() {
        return inbox.opened.getFirst();
    }

    @Override
    public void close() {
        endpoint.abort();
        peer.close();
        rnic.close();
    }
}
