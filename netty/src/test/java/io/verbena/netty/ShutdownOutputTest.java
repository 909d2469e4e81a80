package io.verbena.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.verbena.sockets.stream.StreamListener;
import io.verbena.sockets.stream.StreamSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What Netty's {@code SocketShutdownOutputBySelfTest} asserts, with a stream socket as the peer instead of one of the JDK. */
class ShutdownOutputTest {

    private static final int WAIT_S = 20;

    @ParameterizedTest
    @ValueSource(strings = {"shm", "iwarp"})
    void clientShutsDown_peerReadsTheEnd_andItsAnswerArrives(String provider) throws Exception {
        BlockingQueue<Byte> received = new LinkedBlockingQueue<>();
        try (Loops loops = new Loops(provider);
                StreamListener listener =
                        loops.network.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            VerbenaSocketChannel channel = (VerbenaSocketChannel) loops.client(() -> receiver(received))
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            try (StreamSocket peer = listener.accept(Duration.ofSeconds(WAIT_S)).orElseThrow()) {
                assertFalse(channel.isOutputShutdown());
                channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {1})).sync();
                channel.shutdownOutput().sync();
                assertTrue(channel.isOutputShutdown());
                assertFalse(channel.isInputShutdown());
                assertTrue(channel.isActive());

                ByteBuffer byTheClient = ByteBuffer.allocate(2);
                assertEquals(1, awaited(peer, byTheClient));
                assertEquals(-1, awaited(peer, byTheClient));
                peer.write(ByteBuffer.wrap(new byte[] {2}));
                assertEquals((byte) 2, received.poll(WAIT_S, TimeUnit.SECONDS));

                ChannelFuture late = channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[] {3}));
                assertTrue(late.await(WAIT_S, TimeUnit.SECONDS));
                assertInstanceOf(ClosedChannelException.class, late.cause());
            }
            assertTrue(channel.closeFuture().await(WAIT_S, TimeUnit.SECONDS), "both directions have ended");
        }
    }

    private static int awaited(StreamSocket peer, ByteBuffer target) throws IOException {
        assertTrue(peer.awaitReady(StreamSocket.READABLE, TimeUnit.SECONDS.toNanos(WAIT_S)));
        return peer.read(target);
    }

    private static SimpleChannelInboundHandler<ByteBuf> receiver(BlockingQueue<Byte> received) {
        return new SimpleChannelInboundHandler<>() {
            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                while (bytes.isReadable()) {
                    received.add(bytes.readByte());
                }
            }
        };
    }
}
