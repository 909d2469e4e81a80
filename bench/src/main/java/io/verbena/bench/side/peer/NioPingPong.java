package io.verbena.bench.side.peer;

import java.nio.ByteBuffer;

/** Plain NIO ping-pong: both sides read again and again without waiting in the system. */
public final class NioPingPong implements Contestant {

    private final NioPair pair;
    private final ByteBuffer ping;
    private final ByteBuffer pong;

    public NioPingPong(int messageBytes, int socketBufferBytes) throws Exception {
        pair = new NioPair(socketBufferBytes);
        pair.a.configureBlocking(false);
        pair.b.configureBlocking(false);
        ping = ByteBuffer.allocateDirect(messageBytes);
        pong = ByteBuffer.allocateDirect(messageBytes);
    }

    @Override
    public long run(long roundTrips) throws Exception {
        Peer echo = Peer.start(() -> {
            for (long i = 0; i < roundTrips; i++) {
                NioPair.readFully(pair.b, pong);
                NioPair.writeFully(pair.b, pong);
            }
        });
        long beginNs = System.nanoTime();
        for (long i = 0; i < roundTrips; i++) {
            NioPair.writeFully(pair.a, ping);
            NioPair.readFully(pair.a, ping);
        }
        long ns = System.nanoTime() - beginNs;
        echo.join();
        return ns;
    }

    @Override
    public void close() throws Exception {
        pair.close();
    }
}
