package io.verbena.netty.suite;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketTestPermutation;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.verbena.netty.VerbenaIoHandler;
import io.verbena.netty.VerbenaServerSocketChannel;
import io.verbena.netty.VerbenaSocketChannel;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.util.List;

/** Bootstraps of our transport, as Netty's tests want them: one group of event loops, for servers and clients. */
final class Transport extends SocketTestPermutation {

    static final Transport OURS = new Transport();

    /** Of the whole process, as the groups of Netty's own transports are. */
    static final StreamNetwork NETWORK = StreamNetwork.open(
            RnicOptions.defaults().withProvider(System.getProperty("verbena.netty.provider", "auto")),
            StreamOptions.defaults());

    private static final EventLoopGroup GROUP = new MultiThreadIoEventLoopGroup(
            NUM_THREADS, new DefaultThreadFactory("testsuite-verbena", true), VerbenaIoHandler.newFactory(NETWORK));

    private Transport() {}

    static List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> sockets() {
        return OURS.socket();
    }

    static List<BootstrapFactory<ServerBootstrap>> servers() {
        return OURS.serverSocket();
    }

    static List<BootstrapFactory<Bootstrap>> clients() {
        return OURS.clientSocket();
    }

    @Override
    public List<BootstrapFactory<ServerBootstrap>> serverSocket() {
        return List.of(() -> new ServerBootstrap().group(GROUP).channel(VerbenaServerSocketChannel.class));
    }

    @Override
    public List<BootstrapFactory<Bootstrap>> clientSocket() {
        return List.of(() -> new Bootstrap().group(GROUP).channel(VerbenaSocketChannel.class));
    }
}
