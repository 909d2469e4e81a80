package io.verbena.proofs.grpc;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.verbena.netty.VerbenaSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Calls from many threads, and compares each answer. Arguments: the provider of the RNIC, the port, the number of calls. */
final class ReverseClient {

    private static final int CALLERS = 16;
    private static final int MOST_BYTES = 5_000;

    /** Larger than the windows of HTTP/2 and the buffers of a socket; once in as many calls. */
    private static final int LARGE_BYTES = 1_000_000;

    private static final int LARGE_EVERY = 500;

    private ReverseClient() {}

    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[1]);
        int calls = Integer.parseInt(arguments[2]) / CALLERS;
        try (VerbenaLoops loops = new VerbenaLoops(arguments[0])) {
            ManagedChannel channel = NettyChannelBuilder.forAddress(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                    .channelType(VerbenaSocketChannel.class)
                    .eventLoopGroup(loops.group)
                    .usePlaintext()
                    .build();
            System.out.println("answered " + callFromAll(channel, calls));
            channel.shutdown().awaitTermination(10, TimeUnit.SECONDS);
        }
    }

    /** Returns the number of bytes of the requests. */
    private static long callFromAll(Channel channel, int calls) throws Exception {
        try (ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Long>> all = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                Random random = new Random(caller);
                all.add(callers.submit(() -> call(channel, random, calls)));
            }
            long bytes = 0;
            for (Future<Long> each : all) {
                bytes += each.get(5, TimeUnit.MINUTES);
            }
            return bytes;
        }
    }

    private static long call(Channel channel, Random random, int calls) {
        long bytes = 0;
        for (int i = 0; i < calls; i++) {
            byte[] request = new byte[i % LARGE_EVERY == 1 ? LARGE_BYTES : random.nextInt(MOST_BYTES)];
            random.nextBytes(request);
            byte[] answer = ClientCalls.blockingUnaryCall(channel, Reverse.METHOD, CallOptions.DEFAULT, request);
            if (!Arrays.equals(Reverse.reversed(request), answer)) {
                throw new AssertionError("call " + i + " of " + request.length + " bytes has another answer");
            }
            bytes += request.length;
        }
        return bytes;
    }
}
