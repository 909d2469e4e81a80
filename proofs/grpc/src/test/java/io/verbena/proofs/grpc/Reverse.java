package io.verbena.proofs.grpc;

import io.grpc.MethodDescriptor;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.verbena.netty.VerbenaIoHandler;
import io.verbena.proofs.Witness;
import io.verbena.sockets.stream.StreamNetwork;
import io.verbena.sockets.stream.StreamOptions;
import io.verbena.verbs.RnicOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.concurrent.TimeUnit;

/** A service that returns bytes in the reverse order, and what its server and its client have in common: the event loops of Verbena. */
final class Reverse implements AutoCloseable {

    static final String SERVICE = "proofs.Bytes";

    /** Begins the lines that state what has carried the connections. */
    static final String CARRIED = "carried ";

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

    static final MethodDescriptor<byte[], byte[]> METHOD = MethodDescriptor.<byte[], byte[]>newBuilder()
            .setType(MethodDescriptor.MethodType.UNARY)
            .setFullMethodName(SERVICE + "/Reverse")
            .setRequestMarshaller(BYTES)
            .setResponseMarshaller(BYTES)
            .build();

    private final StreamNetwork network;
    final EventLoopGroup loops;

    Reverse(String provider) {
        network = StreamNetwork.open(RnicOptions.defaults().withProvider(provider), StreamOptions.defaults());
        loops = new MultiThreadIoEventLoopGroup(2, VerbenaIoHandler.newFactory(network));
    }

    static byte[] reversed(byte[] bytes) {
        byte[] result = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            result[i] = bytes[bytes.length - 1 - i];
        }
        return result;
    }

    /** Ends the loops, and states what has carried the connections. */
    @Override
    public void close() throws InterruptedException {
        loops.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        network.totals().forEach(totals -> System.out.println(CARRIED + Witness.line(totals)));
        network.close();
    }
}
