package io.verbena.proofs.grpc;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Random;

/** gRPC with the copy of Netty that it contains, whose packages have another name, and nothing that knows Verbena. */
final class Shaded {

    private Shaded() {}

    /** Prints its port and runs until it is ended. */
    static final class Service {

        private Service() {}

        public static void main(String[] arguments) throws Exception {
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .addService(Reverse.service())
                    .build()
                    .start();
            System.out.println("port " + server.getPort());
            server.awaitTermination();
        }
    }

    /** Calls the service and compares each answer. Arguments: the port and the number of calls. */
    static final class Caller {

        private static final int MOST_BYTES = 5_000;

        private Caller() {}

        public static void main(String[] arguments) {
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", Integer.parseInt(arguments[0]))
                    .usePlaintext()
                    .build();
            long bytes = 0;
            for (int i = 0; i < Integer.parseInt(arguments[1]); i++) {
                Random random = new Random(i);
                byte[] request = new byte[random.nextInt(MOST_BYTES)];
                random.nextBytes(request);
                byte[] answer = ClientCalls.blockingUnaryCall(channel, Reverse.METHOD, CallOptions.DEFAULT, request);
                if (!Arrays.equals(Reverse.reversed(request), answer)) {
                    throw new AssertionError("call " + i);
                }
                bytes += request.length;
            }
            channel.shutdownNow();
            System.out.println("compared " + bytes);
        }
    }
}
