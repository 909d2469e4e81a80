package io.verbena.proofs.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.LengthFieldPrepender;
import io.verbena.proofs.Requests;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.SynchronousQueue;
import java.util.function.Supplier;

/** Requests over Netty's channels of java.nio: a length, then that many bytes, which the server returns. */
final class NettyEcho {

    private static final int REQUEST_BYTES = 64;
    private static final int MOST_BYTES = 1024;
    private static final int LENGTH_BYTES = 4;

    private NettyEcho() {}

    private static ChannelInitializer<Channel> frames(Supplier<ChannelHandler> last) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline()
                        .addLast(
                                new LengthFieldBasedFrameDecoder(MOST_BYTES, 0, LENGTH_BYTES, 0, LENGTH_BYTES),
                                new LengthFieldPrepender(LENGTH_BYTES),
                                last.get());
            }
        };
    }

    private static EventLoopGroup loops() {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    /** Prints its port, and runs until it is ended. */
    static final class Server {

        private Server() {}

        public static void main(String[] arguments) throws Exception {
            Channel listener = new ServerBootstrap()
                    .group(loops(), loops())
                    .channel(NioServerSocketChannel.class)
                    .childHandler(frames(Returning::new))
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            System.out.println("port " + ((InetSocketAddress) listener.localAddress()).getPort());
            listener.closeFuture().sync();
        }
    }

    private static final class Returning extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Measures from a thread that waits for the event loop. Argument: the port. */
    static final class Client {

        private Client() {}

        public static void main(String[] arguments) throws Exception {
            SynchronousQueue<Integer> answers = new SynchronousQueue<>();
            EventLoopGroup loops = loops();
            Channel channel = new Bootstrap()
                    .group(loops)
                    .channel(NioSocketChannel.class)
                    .handler(frames(() -> new Answers(answers)))
                    .connect(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]))
                    .sync()
                    .channel();
            Requests.measure(() -> {
                channel.writeAndFlush(channel.alloc().buffer(REQUEST_BYTES).writeZero(REQUEST_BYTES));
                if (answers.take() != REQUEST_BYTES) {
                    throw new AssertionError("an answer of another length");
                }
            });
            channel.close().sync();
            loops.shutdownGracefully().sync();
        }
    }

    private static final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
        private final SynchronousQueue<Integer> to;

        Answers(SynchronousQueue<Integer> to) {
            this.to = to;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) throws InterruptedException {
            to.put(message.readableBytes());
        }
    }
}
