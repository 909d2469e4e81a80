package io.verbena.bench.side.peer;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpRequest;

/** Ping-pong of tagged messages through jucx, both sides polling. */
public final class JucxPingPong implements Contestant {

    private static final long TAG = 1;
    private static final long WHOLE_TAG = -1;

    private final JucxPair pair = new JucxPair();
    private final int messageBytes;
    private final ByteBuffer clientMemory;
    private final ByteBuffer serverMemory;

    public JucxPingPong(int messageBytes) {
        this.messageBytes = messageBytes;
        clientMemory = ByteBuffer.allocateDirect(messageBytes);
        serverMemory = ByteBuffer.allocateDirect(messageBytes);
    }

    @Override
    public long run(long roundTrips) throws Exception {
        long theirs = UcxUtils.getAddress(serverMemory);
        Peer echo = Peer.start(() -> {
            for (long i = 0; i < roundTrips; i++) {
                receive(pair.server, theirs);
                send(pair.server, theirs);
            }
        });
        long ours = UcxUtils.getAddress(clientMemory);
        long beginNs = System.nanoTime();
        for (long i = 0; i < roundTrips; i++) {
            send(pair.client, ours);
            receive(pair.client, ours);
        }
        long ns = System.nanoTime() - beginNs;
        echo.join();
        return ns;
    }

    private void send(JucxPair.Side side, long address) throws Exception {
        side.await(side.endpoint.sendTaggedNonBlocking(address, messageBytes, TAG, JucxPair.NOTHING));
    }

    private void receive(JucxPair.Side side, long address) throws Exception {
        UcpRequest request = side.worker.recvTaggedNonBlocking(address, messageBytes, TAG, WHOLE_TAG, JucxPair.NOTHING);
        side.await(request);
    }

    @Override
    public void close() {} // see JucxPair
}
