package io.verbena.bench.waits;

import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * Two threads of one process play ping-pong over two RNICs, both with the same loop. Prints half the round trip in
 * microseconds: the median of several batches, the first ones left out.
 */
public final class WaitPair {

    private static final int BATCHES = 9;
    private static final int WARM_UP = 3;
    private static final long BATCH_NS = 200_000_000;
    private static final int TRIPS_BETWEEN_LOOKS = 16;

    private WaitPair() {}

    public static void main(String[] arguments) throws Exception {
        String provider = arguments[0];
        WaitLoop loop = WaitLoop.valueOf(arguments[1]);
        Progress progress = arguments.length > 2 ? Progress.valueOf(arguments[2]) : Progress.INLINE;
        CompletableFuture<SocketAddress> address = new CompletableFuture<>();
        Thread.ofPlatform().daemon().name("server").start(() -> serve(provider, progress, loop, address));
        try (WaitSide client = new WaitSide(provider, progress, loop)) {
            client.connect(address.get());
            System.out.println(halfTripUs(client));
        }
    }

    private static void serve(
            String provider, Progress progress, WaitLoop loop, CompletableFuture<SocketAddress> address) {
        try (WaitSide side = new WaitSide(provider, progress, loop);
                Listener listener = side.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            address.complete(listener.localAddress());
            side.accept(listener);
            while (true) {
                side.receive();
                side.send();
            }
        } catch (Exception e) {
            address.completeExceptionally(e); // or the client has left
        }
    }

    private static double halfTripUs(WaitSide client) throws Exception {
        double[] us = new double[BATCHES - WARM_UP];
        for (int batch = 0; batch < BATCHES; batch++) {
            long startNs = System.nanoTime();
            long nowNs = startNs;
            long trips = 0;
            while (nowNs - startNs < BATCH_NS) {
                for (int i = 0; i < TRIPS_BETWEEN_LOOKS; i++) {
                    client.send();
                    client.receive();
                }
                trips += TRIPS_BETWEEN_LOOKS;
                nowNs = System.nanoTime();
            }
            if (batch >= WARM_UP) {
                us[batch - WARM_UP] = (nowNs - startNs) / 2000.0 / trips;
            }
        }
        Arrays.sort(us);
        return us[us.length / 2];
    }
}
