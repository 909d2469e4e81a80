package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.SurvivalOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;

/** Two sites whose connection survives its transport, with the connection as each of them sees it. */
record SurvivingPair(Site near, Site far, Connection from, Connection to) {

    /** Connects over the first address; the others are further ones of the server. */
    static SurvivingPair connect(Rnic client, Rnic server, Listener listener, List<InetSocketAddress> addresses)
            throws IOException {
        return connect(
                client,
                server,
                listener,
                addresses.getFirst(),
                SurvivalOptions.over(addresses.subList(1, addresses.size()).toArray(InetSocketAddress[]::new)));
    }

    /** Connects over an address that leads to the listener; both sides have the same options. */
    static SurvivingPair connect(
            Rnic client, Rnic server, Listener listener, InetSocketAddress address, SurvivalOptions survival)
            throws IOException {
        Site near = new Site(client);
        Site far = new Site(server);
        ConnectionOptions options = ConnectionOptions.defaults().withSurvival(survival);
        Connection from = client.startConnect(near.queuePair, address, options);
        Connection to = listener.nextRequest(Site.PATIENCE).orElseThrow().startAccept(far.queuePair, options);
        from.awaitEstablished(Site.PATIENCE);
        to.awaitEstablished(Site.PATIENCE);
        assertTrue(from.survives() && to.survives(), "both sides have agreed");
        return new SurvivingPair(near, far, from, to);
    }
}
