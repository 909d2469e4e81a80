package io.verbena.bench.side.peer;

import java.nio.ByteBuffer;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpRemoteKey;
import org.openucx.jucx.ucp.UcpRequest;

/** Puts through jucx with a window of unfinished ones; a run ends when a flush confirms that all are done. */
public final class JucxPut implements Contestant {

    private static final int WINDOW = 64;

    private final JucxPair pair = new JucxPair();
    private final ByteBuffer source;
    private final ByteBuffer sink;

    @SuppressWarnings("UnusedVariable") // keeps the registration
    private final UcpMemory sourceMemory;

    private final UcpMemory sinkMemory;
    private final UcpRemoteKey key;
    private final int messageBytes;
    private volatile boolean over;

    public JucxPut(int messageBytes) {
        this.messageBytes = messageBytes;
        source = ByteBuffer.allocateDirect(messageBytes);
        sink = ByteBuffer.allocateDirect(messageBytes);
        sourceMemory = pair.client.context.registerMemory(source);
        sinkMemory = pair.server.context.registerMemory(sink);
        key = pair.client.endpoint.unpackRemoteKey(sinkMemory.getRemoteKeyBuffer());
    }

    @Override
    public long run(long messages) throws Exception {
        over = false;
        long beginNs = System.nanoTime();
        Peer server = Peer.start(() -> {
            while (!over) {
                pair.server.worker.progress();
            }
        });
        UcpRequest[] window = new UcpRequest[WINDOW];
        long address = UcxUtils.getAddress(source);
        for (long i = 0; i < messages; i++) {
            int slot = (int) (i % WINDOW);
            if (i >= WINDOW) {
                pair.client.await(window[slot]);
            }
            window[slot] = pair.client.endpoint.putNonBlocking(
                    address, messageBytes, UcxUtils.getAddress(sink), key, JucxPair.NOTHING);
        }
        pair.client.await(pair.client.endpoint.flushNonBlocking(JucxPair.NOTHING));
        long ns = System.nanoTime() - beginNs;
        over = true;
        server.join();
        return ns;
    }

    @Override
    public void close() {} // see JucxPair
}
