package io.verbena.proofs.grpc;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.verbena.proofs.Requests;

/** Measures unary calls of one thread to {@link Shaded.Service}. Argument: the port. */
final class UnaryCalls {

    private static final int REQUEST_BYTES = 64;

    private UnaryCalls() {}

    public static void main(String[] arguments) throws Exception {
        ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(arguments[0]))
                .usePlaintext()
                .build();
        byte[] request = new byte[REQUEST_BYTES];
        Requests.measure(() -> {
            byte[] answer = ClientCalls.blockingUnaryCall(channel, Reverse.METHOD, CallOptions.DEFAULT, request);
            if (answer.length != REQUEST_BYTES) {
                throw new AssertionError("an answer of " + answer.length + " bytes");
            }
        });
        channel.shutdownNow();
    }
}
