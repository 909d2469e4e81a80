package io.verbena.bench.side.peer;

/** Ping-pong through Aeron's streams in shared memory, both sides polling. */
public final class AeronPingPong implements Contestant {

    private final AeronPair pair;

    public AeronPingPong(int messageBytes) {
        pair = new AeronPair(messageBytes);
    }

    @Override
    public long run(long roundTrips) throws Exception {
        Peer echo = Peer.start(() -> {
            for (long i = 0; i < roundTrips; i++) {
                await(pair.server);
                pair.server.send();
            }
        });
        long beginNs = System.nanoTime();
        for (long i = 0; i < roundTrips; i++) {
            pair.client.send();
            await(pair.client);
        }
        long ns = System.nanoTime() - beginNs;
        echo.join();
        return ns;
    }

    private static void await(AeronPair.Side side) {
        while (side.receive() == 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        pair.close();
    }
}
