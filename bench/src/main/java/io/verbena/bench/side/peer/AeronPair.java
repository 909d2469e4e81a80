package io.verbena.bench.side.peer;

import io.aeron.Aeron;
import io.aeron.ExclusivePublication;
import io.aeron.Subscription;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Two streams of Aeron through shared memory (IPC), one in each direction. Its driver, a thread of this process,
 * takes no part in the messages and sleeps between its duties.
 */
final class AeronPair implements AutoCloseable {

    private static final String CHANNEL = "aeron:ipc";
    private static final int FRAGMENTS = 64;
    private static final long LIMIT_NS = 10_000_000_000L;

    /** One side, for one thread. */
    static final class Side {
        private final ExclusivePublication publication;
        private final Subscription subscription;
        private final BufferClaim claim = new BufferClaim();
        private final UnsafeBuffer memory;
        private final int bytes;
        private final FragmentHandler handler = this::take;

        Side(Aeron aeron, int out, int in, int bytes) {
            this.bytes = bytes;
            memory = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes));
            publication = aeron.addExclusivePublication(CHANNEL, out);
            subscription = aeron.addSubscription(CHANNEL, in);
        }

        /** Sends a message from the memory of this side; waits while the stream is full. */
        void send() {
            while (publication.tryClaim(bytes, claim) < 0) {
                Thread.onSpinWait();
            }
            claim.buffer().putBytes(claim.offset(), memory, 0, bytes);
            claim.commit();
        }

        /** Copies the messages that are there to the memory of this side. Returns their number. */
        int receive() {
            return subscription.poll(handler, FRAGMENTS);
        }

        private void take(DirectBuffer buffer, int offset, int length, Header header) {
            buffer.getBytes(offset, memory, 0, length);
        }

        private boolean connected() {
            return publication.isConnected() && subscription.isConnected();
        }
    }

    private final MediaDriver driver;
    private final Aeron aeron;
    final Side client;
    final Side server;

    AeronPair(int bytes) {
        driver = MediaDriver.launchEmbedded(new MediaDriver.Context()
                .threadingMode(ThreadingMode.SHARED)
                .sharedIdleStrategy(new SleepingMillisIdleStrategy(1))
                .dirDeleteOnShutdown(true));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
        client = new Side(aeron, 1, 2, bytes);
        server = new Side(aeron, 2, 1, bytes);
        long beginNs = System.nanoTime();
        while (!client.connected() || !server.connected()) {
            if (System.nanoTime() - beginNs > LIMIT_NS) {
                throw new IllegalStateException("the streams of Aeron were not connected within 10 s");
            }
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        aeron.close();
        driver.close();
    }
}
