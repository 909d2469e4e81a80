package io.verbena.storage.client;

import java.util.ArrayDeque;

/** Divides transfers into chunks, as many at once as there is memory for. Used by the thread of the client only. */
final class Staging {
    /** As long as the longest command of most targets. */
    private static final long CHUNK_BYTES = 131_072;

    private static final int MOST_CHUNKS = 32;

    private final HostDriver driver;
    private final int chunks;
    private final ArrayDeque<StagingChunk> free = new ArrayDeque<>();
    private final ArrayDeque<Transfer> waiting = new ArrayDeque<>();
    private boolean allocated;
    private boolean advancing;

    Staging(HostDriver driver, int commandsAtOnce) {
        this.driver = driver;
        this.chunks = Math.min(commandsAtOnce, MOST_CHUNKS);
    }

    void begin(Transfer transfer) {
        if (!allocated) {
            DiskMemory memory = driver.memories().allocate(chunks * CHUNK_BYTES);
            allocated = true;
            for (int i = 0; i < chunks; i++) {
                free.add(new StagingChunk(this, memory, i * CHUNK_BYTES, CHUNK_BYTES));
            }
        }
        waiting.add(transfer);
        advance();
    }

    void ended(Transfer transfer, StagingChunk chunk) {
        try {
            transfer.ended(chunk, chunk.request().status(), driver.reason());
        } finally {
            free.add(chunk);
            advance();
        }
    }

    private void advance() {
        // A request that ends at once calls again from inside.
        if (advancing) {
            return;
        }
        advancing = true;
        try {
            while (!waiting.isEmpty() && !free.isEmpty()) {
                advance(waiting.getFirst());
            }
        } finally {
            advancing = false;
        }
    }

    private void advance(Transfer transfer) {
        if (!transfer.hasMore()) {
            waiting.removeFirst();
            return;
        }
        StagingChunk chunk = free.getFirst();
        if (transfer.begin(chunk)) {
            free.removeFirst();
            driver.start(chunk.request());
        }
    }
}
