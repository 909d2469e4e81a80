package io.verbena.proofs.grpc;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.verbena.netty.VerbenaIoHandler;
import io.verbena.proofs.Witness;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.util.concurrent.TimeUnit;

/** The event loops of a server or a client, over the streams of one RNIC. */
final class VerbenaLoops implements AutoCloseable {

    /** Begins the lines that state what has carried the connections. */
    static final String CARRIED = "carried ";

    private final StreamNetwork network;
    final EventLoopGroup group;

    VerbenaLoops(String provider) {
        network = StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults());
        group = new MultiThreadIoEventLoopGroup(2, VerbenaIoHandler.newFactory(network));
    }

    /** Ends the loops, and states what has carried the connections. */
    @Override
    public void close() throws InterruptedException {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        network.totals().forEach(totals -> System.out.println(CARRIED + Witness.line(totals)));
        network.close();
    }
}
