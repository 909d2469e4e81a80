package io.verbena.bench.side.peer;

import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Plain NIO one way: blocking channels, a writing and a reading thread. Each call is one message; or, for the limit of what
 * the sockets can do, calls of the size that turned out best.
 */
public final class NioStream implements Contestant {

    private static final int LEAST_CALL = 4096;
    private static final int MOST_CALL = 4 << 20;
    private static final long TRIAL_BYTES = 192L << 20;
    private static final int TRIALS = 3;

    private final NioPair pair;
    private final int messageBytes;
    private final boolean bestCall;
    private int callBytes;
    private ByteBuffer out;
    private ByteBuffer in;

    public NioStream(int messageBytes, boolean bestCall, int socketBufferBytes) throws Exception {
        pair = new NioPair(socketBufferBytes);
        this.messageBytes = messageBytes;
        this.bestCall = bestCall;
        callBytes = bestCall ? 1 << 18 : messageBytes;
        out = ByteBuffer.allocateDirect(callBytes);
        in = ByteBuffer.allocateDirect(callBytes);
    }

    private void callBytes(int bytes) {
        callBytes = bytes;
        out = ByteBuffer.allocateDirect(bytes);
        in = ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public void tune() throws Exception {
        if (!bestCall) {
            return;
        }
        int best = callBytes;
        double bestRate = 0;
        for (int size = LEAST_CALL; size <= MOST_CALL; size *= 2) {
            callBytes(size);
            double rate = 0;
            for (int i = 0; i < TRIALS; i++) {
                rate = Math.max(rate, (double) TRIAL_BYTES / move(TRIAL_BYTES));
            }
            if (rate > bestRate) {
                bestRate = rate;
                best = size;
            }
        }
        callBytes(best);
    }

    @Override
    public long run(long messages) throws Exception {
        return move(messages * messageBytes);
    }

    private long move(long bytes) throws Exception {
        long beginNs = System.nanoTime();
        Peer reader = Peer.start(() -> NioPair.drain(pair.b, in, bytes));
        for (long left = bytes; left > 0; ) {
            out.clear().limit((int) Math.min(callBytes, left));
            left -= out.remaining();
            while (out.hasRemaining()) {
                pair.a.write(out);
            }
        }
        reader.join();
        return System.nanoTime() - beginNs;
    }

    @Override
    public Map<String, Double> figures() {
        return bestCall ? Map.of("callBytes", (double) callBytes) : Map.of();
    }

    @Override
    public void close() throws Exception {
        pair.close();
    }
}
