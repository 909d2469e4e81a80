package io.verbena.proofs.grpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.verbena.netty.VerbenaIoHandler;
import io.verbena.netty.VerbenaServerSocketChannel;
import io.verbena.netty.VerbenaSocketChannel;
import io.verbena.proofs.Scale;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.sockets.stream.StreamTotals;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** gRPC with the channels and the event loops of Verbena: every answer is that of its own request. */
class GrpcProofTest {

    private static final int CALLERS = 16;
    private static final int CALLS = Scale.of(100_000) / CALLERS;
    private static final int MOST_BYTES = 5_000;

    /** Larger than the windows of HTTP/2 and the buffers of a socket; once in as many calls. */
    private static final int LARGE_BYTES = 1_000_000;

    private static final int LARGE_EVERY = 500;

    @ParameterizedTest
    @ValueSource(strings = {"auto", "iwarp"})
    void calls_everyAnswerIsThatOfItsRequest(String provider) throws Exception {
        try (StreamNetwork network =
                StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults())) {
            EventLoopGroup loops = new MultiThreadIoEventLoopGroup(2, VerbenaIoHandler.newFactory(network));
            Server server = server(loops);
            ManagedChannel channel = channel(loops, server.getPort());
            callFromAll(channel);
            channel.shutdown().awaitTermination(10, TimeUnit.SECONDS);
            server.shutdown().awaitTermination(10, TimeUnit.SECONDS);
            loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
            assertEquals(
                    2,
                    network.totals().stream().mapToLong(StreamTotals::sockets).sum(),
                    "both ends of one connection for all calls");
        }
    }

    private static Server server(EventLoopGroup loops) throws IOException {
        return NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .channelType(VerbenaServerSocketChannel.class)
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .addService(Reverse.service())
                .build()
                .start();
    }

    private static ManagedChannel channel(EventLoopGroup loops, int port) {
        return NettyChannelBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                .channelType(VerbenaSocketChannel.class)
                .eventLoopGroup(loops)
                .usePlaintext()
                .build();
    }

    private static void callFromAll(Channel channel) throws Exception {
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> all = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                Random random = new Random(caller);
                all.add(callers.submit(() -> call(channel, random)));
            }
            for (Future<?> each : all) {
                each.get(5, TimeUnit.MINUTES);
            }
        }
    }

    private static void call(Channel channel, Random random) {
        for (int i = 0; i < CALLS; i++) {
            byte[] request = new byte[i % LARGE_EVERY == 1 ? LARGE_BYTES : random.nextInt(MOST_BYTES)];
            random.nextBytes(request);
            byte[] answer = ClientCalls.blockingUnaryCall(channel, Reverse.METHOD, CallOptions.DEFAULT, request);
            assertArrayEquals(Reverse.reversed(request), answer);
        }
    }
}
