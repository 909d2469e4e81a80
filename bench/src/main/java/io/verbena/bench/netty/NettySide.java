package io.verbena.bench.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;

/** A JVM of the measurement: one event loop that serves, or that runs one plan after the other. */
final class NettySide {

    private final NettyTransport transport;
    private final MultiThreadIoEventLoopGroup loop;

    /** Whether the loop polls. It waits while others are measured. */
    private volatile boolean polls;

    private NettySide(NettyTransport transport) {
        this.transport = transport;
        loop = new MultiThreadIoEventLoopGroup(
                1,
                transport.handlers(() -> (ready, hasTasks) ->
                        hasTasks ? ready.get() : polls ? SelectStrategy.BUSY_WAIT : SelectStrategy.SELECT));
    }

    /** Arguments: "serve" and a transport, or "connect", a transport and a port. */
    public static void main(String[] arguments) throws Exception {
        NettySide side = new NettySide(NettyTransport.valueOf(arguments[1]));
        if (arguments[0].equals("serve")) {
            System.out.println(side.serve());
        } else {
            side.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[2])));
            System.exit(0);
        }
    }

    private int serve() throws InterruptedException {
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(transport.serverType())
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new NettyServer(poll -> polls = poll));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    /** Runs the plans in turn: a line asks for the next one, and is answered by the microseconds of a message. */
    private void connect(SocketAddress server) throws Exception {
        BufferedReader requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        while (true) {
            for (NettyPlan plan : NettyPlan.all()) {
                if (requests.readLine() == null) {
                    return;
                }
                System.out.println(us(server, plan));
            }
        }
    }

    private double us(SocketAddress server, NettyPlan plan) throws Exception {
        NettyClient client = new NettyClient(plan);
        polls = plan.polls();
        try {
            Channel channel = new Bootstrap()
                    .group(loop)
                    .channel(transport.clientType())
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(client)
                    .connect(server)
                    .sync()
                    .channel();
            try {
                return client.us();
            } finally {
                channel.close().sync();
            }
        } finally {
            polls = false;
        }
    }
}
