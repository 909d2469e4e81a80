package io.verbena.bench.side;

/** How many messages of a size a stream keeps in flight, and how many it posts together. */
final class StreamDepth {

    private static final int TINY_BYTES = 512;
    private static final int TINY_DEPTH = 1024;

    /** Through shared memory, where a batch that stays in the first cache is best, and over sockets, where messages share a system call. */
    private static final int TINY_BATCH = 64;

    private static final int TINY_SOCKET_BATCH = 256;
    private static final int SMALL_BYTES = 4096;
    private static final int SMALL_DEPTH = 256;
    private static final int SMALL_BATCH = 16;
    private static final int BATCH_BYTES = 256 * 1024;
    private static final int DEPTH = 64;

    private StreamDepth() {}

    static int depth(int messageBytes) {
        return messageBytes <= TINY_BYTES ? TINY_DEPTH : messageBytes <= SMALL_BYTES ? SMALL_DEPTH : DEPTH;
    }

    static int batch(int messageBytes, String provider) {
        if (messageBytes <= TINY_BYTES) {
            return provider.equals("shm") ? TINY_BATCH : TINY_SOCKET_BATCH;
        }
        return messageBytes <= SMALL_BYTES ? SMALL_BATCH : Math.max(1, BATCH_BYTES / messageBytes);
    }
}
