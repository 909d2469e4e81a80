package io.verbena.proofs.grpc;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.verbena.netty.VerbenaServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Prints its port, and serves until its standard input ends. Argument: the provider of the RNIC. */
final class ReverseServer {

    private ReverseServer() {}

    public static void main(String[] arguments) throws Exception {
        try (VerbenaLoops loops = new VerbenaLoops(arguments[0])) {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .channelType(VerbenaServerSocketChannel.class)
                    .bossEventLoopGroup(loops.group)
                    .workerEventLoopGroup(loops.group)
                    .addService(Reverse.service())
                    .build()
                    .start();
            System.out.println("port " + server.getPort());
            System.in.readAllBytes();
            server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
        }
    }
}
