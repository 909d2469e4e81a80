package io.verbena.bench.side.peer;

/** Messages in one direction through Aeron's stream in shared memory, until the receiver has copied all of them. */
public final class AeronStream implements Contestant {

    private final AeronPair pair;

    public AeronStream(int messageBytes) {
        pair = new AeronPair(messageBytes);
    }

    @Override
    public long run(long messages) throws Exception {
        long beginNs = System.nanoTime();
        Peer receiver = Peer.start(() -> {
            for (long left = messages; left > 0; ) {
                int count = pair.server.receive();
                left -= count;
                if (count == 0) {
                    Thread.onSpinWait();
                }
            }
        });
        for (long i = 0; i < messages; i++) {
            pair.client.send();
        }
        receiver.join();
        return System.nanoTime() - beginNs;
    }

    @Override
    public void close() {
        pair.close();
    }
}
