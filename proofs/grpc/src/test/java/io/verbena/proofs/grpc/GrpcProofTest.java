package io.verbena.proofs.grpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
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
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
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

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
    };

    private static final MethodDescriptor<byte[], byte[]> REVERSE = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName("proofs.Bytes/Reverse")
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();

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
                .addService(ServerServiceDefinition.builder("proofs.Bytes")
                        .addMethod(REVERSE, ServerCalls.asyncUnaryCall((request, answer) -> {
                            answer.onNext(reversed(request));
                            answer.onCompleted();
                        }))
                        .build())
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
            byte[] answer = ClientCalls.blockingUnaryCall(channel, REVERSE, CallOptions.DEFAULT, request);
            assertArrayEquals(reversed(request), answer);
        }
    }

    private static byte[] reversed(byte[] bytes) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = bytes[bytes.length - 1 - i];
        }
        return result;
    }
}
