package io.verbena.proofs.grpc;

import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.verbena.netty.VerbenaServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Prints its port, and serves until its standard input ends. Argument: the provider of the RNIC. */
final class ReverseServer {

    private ReverseServer() {}

    public static void main(String[] arguments) throws Exception {
        try (Reverse reverse = new Reverse(arguments[0])) {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .channelType(VerbenaServerSocketChannel.class)
                    .bossEventLoopGroup(reverse.loops)
                    .workerEventLoopGroup(reverse.loops)
                    .addService(ServerServiceDefinition.builder(Reverse.SERVICE)
                            .addMethod(Reverse.METHOD, ServerCalls.asyncUnaryCall((request, answer) -> {
                                answer.onNext(Reverse.reversed(request));
                                answer.onCompleted();
                            }))
                            .build())
                    .build()
                    .start();
            System.out.println("port " + server.getPort());
            System.in.readAllBytes();
            server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
        }
    }
}
