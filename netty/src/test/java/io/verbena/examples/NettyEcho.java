package io.verbena.examples;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.verbena.netty.VerbenaIoHandler;
import io.verbena.netty.VerbenaServerSocketChannel;
import io.verbena.netty.VerbenaSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** An echo over the Netty transport. Two lines differ from a program over TCP: that of the group, and the types of the channels. */
public final class NettyEcho {

    private NettyEcho() {}

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    /** Returns what the server has sent back. */
    public static String echo(String text) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, VerbenaIoHandler.newFactory());
        try {
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(VerbenaServerSocketChannel.class)
                    .childHandler(new Echo())
                    .bind("127.0.0.1", 0)
                    .sync()
                    .channel();
            CompletableFuture<String> answer = new CompletableFuture<>();
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(VerbenaSocketChannel.class)
                    .handler(new SimpleChannelInboundHandler<ByteBuf>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
                            answer.complete(message.toString(StandardCharsets.UTF_8));
                        }
                    })
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.writeAndFlush(Unpooled.copiedBuffer(text, StandardCharsets.UTF_8));
            return answer.get();
        } finally {
            group.shutdownGracefully().sync();
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(echo("hello"));
    }
}
