package io.verbena.bench.sockets;

import io.verbena.sockets.nio.SocketsOptions;
import io.verbena.sockets.proxy.Proxy;
import io.verbena.sockets.proxy.ProxyAddress;
import io.verbena.sockets.proxy.ProxyLimits;
import io.verbena.sockets.proxy.ProxyOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/** A JVM with a proxy, as {@code verbena sockets proxy} opens it. It prints its port. */
final class ProxySide {

    private static final int MOST = 100_000;

    private ProxySide() {}

    /** Arguments: "rdma" or "tcp" for the end that clients connect to, and the port of the target, which is reached by the other one. */
    public static void main(String[] arguments) throws IOException {
        boolean rdma = arguments[0].equals("rdma");
        ProxyOptions options = new ProxyOptions(
                address(rdma, 0),
                address(!rdma, Integer.parseInt(arguments[1])),
                SocketsOptions.defaults(),
                new ProxyLimits(MOST, MOST, Duration.ofSeconds(5), Optional.empty()));
        try (Proxy proxy = Proxy.open(options, System.err::println)) {
            System.out.println(proxy.localAddress().getPort());
            System.in.transferTo(OutputStream.nullOutputStream()); // until the measurement is over
        }
    }

    private static ProxyAddress address(boolean rdma, int port) {
        return new ProxyAddress(rdma, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }
}
