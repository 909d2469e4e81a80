package io.verbena.bench.side.peer;

import java.nio.ByteBuffer;

/** Plain NIO that packs small messages into large writes: each is copied into the buffer, one call sends them all. */
public final class NioPacked implements Contestant {

    private static final int CALL_BYTES = 1 << 16;

    private final NioPair pair;
    private final int messageBytes;
    private final ByteBuffer message;
    private final ByteBuffer out = ByteBuffer.allocateDirect(CALL_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(CALL_BYTES);

    public NioPacked(int messageBytes, int socketBufferBytes) throws Exception {
        pair = new NioPair(socketBufferBytes);
        this.messageBytes = messageBytes;
        message = ByteBuffer.allocateDirect(messageBytes);
    }

    @Override
    public long run(long messages) throws Exception {
        long beginNs = System.nanoTime();
        Peer reader = Peer.start(() -> NioPair.drain(pair.b, in, messages * messageBytes));
        out.clear();
        for (long i = 0; i < messages; i++) {
            if (out.remaining() < messageBytes) {
                flush();
            }
            out.put(out.position(), message, 0, messageBytes).position(out.position() + messageBytes);
        }
        flush();
        reader.join();
        return System.nanoTime() - beginNs;
    }

    private void flush() throws Exception {
        out.flip();
        while (out.hasRemaining()) {
            pair.a.write(out);
        }
        out.clear();
    }

    @Override
    public void close() throws Exception {
        pair.close();
    }
}
