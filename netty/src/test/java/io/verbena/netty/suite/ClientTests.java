package io.verbena.netty.suite;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapFactory;
import io.netty.testsuite.transport.socket.SocketChannelNotYetConnectedTest;
import io.netty.testsuite.transport.socket.SocketConnectionAttemptTest;
import io.netty.testsuite.transport.socket.WriteBeforeRegisteredTest;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/**
 * A client alone.
 *
 * <p>Left out: {@code SocketShutdownOutputBySelfTest}, whose server is a {@code java.net.ServerSocket}, which does not speak RDMA. {@code
 * ShutdownOutputTest} does the same with a stream socket.
 */
final class ClientTests {
    private ClientTests() {}
}

class VerbenaSocketChannelNotYetConnectedTest extends SocketChannelNotYetConnectedTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.clients();
    }

    /** The test of the base class, with a server of ours: its own is a channel of the JDK, which does not speak RDMA. */
    @Override
    @Test
    @Timeout(30)
    public void readMustBePendingUntilChannelIsActive(TestInfo info) throws Throwable {
        run(info, VerbenaSocketChannelNotYetConnectedTest::readBeforeActive);
    }

    private static void readBeforeActive(Bootstrap bootstrap) throws Exception {
        CountDownLatch read = new CountDownLatch(1);
        try (StreamListener listener =
                Transport.NETWORK.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            Channel channel = bootstrap
                    .handler(reader(read))
                    .option(ChannelOption.AUTO_READ, false)
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            try (StreamSocket peer = listener.accept(Duration.ofSeconds(20)).orElseThrow()) {
                peer.write(ByteBuffer.allocate(Integer.BYTES).putInt(42).flip());
                read.await();
            }
            channel.close().sync();
        }
    }

    /** Asks for bytes before the channel is active, and for no more. */
    private static ChannelHandler reader(CountDownLatch read) {
        return new ByteToMessageDecoder() {
            @Override
            public void handlerAdded(ChannelHandlerContext context) {
                assertFalse(context.channel().isActive());
                context.read();
            }

            @Override
            protected void decode(ChannelHandlerContext context, ByteBuf bytes, List<Object> out) {
                if (bytes.readableBytes() == Integer.BYTES) {
                    assertEquals(42, bytes.readInt());
                    read.countDown();
                }
            }
        };
    }
}

class VerbenaSocketConnectionAttemptTest extends SocketConnectionAttemptTest {
    private static final long LONG_MS = 60_000;

    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.clients();
    }

    /**
     * The test of the base class, at a listener that does not answer because its queue is full. Its own address is
     * outside, and it decides within 10 ms whether something refuses there.
     */
    @Override
    @Test
    @Timeout(120)
    public void testConnectCancellation(TestInfo info) throws Throwable {
        run(info, VerbenaSocketConnectionAttemptTest::connectAndCancel);
    }

    private static void connectAndCancel(Bootstrap bootstrap) throws Exception {
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Socket _ = new Socket(full.getInetAddress(), full.getLocalPort());
                Socket _ = new Socket(full.getInetAddress(), full.getLocalPort())) {
            ChannelFuture connect =
                    bootstrap.handler(new ChannelInboundHandlerAdapter()).connect(full.getLocalSocketAddress());
            assertTrue(connect.cancel(true));
            assertTrue(connect.channel().closeFuture().await(LONG_MS));
            assertTrue(connect.isCancelled());
        }
    }
}

class VerbenaWriteBeforeRegisteredTest extends WriteBeforeRegisteredTest {
    @Override
    protected List<BootstrapFactory<Bootstrap>> newFactories() {
        return Transport.clients();
    }
}
