package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program with an INLINE RNIC that polls until its work is complete and not longer. */
class QuietSenderTest {

    /** Opens an RNIC of the provider that the test is about. */
    Rnic open(RnicOptions options) {
        return new IwarpProvider().open(options);
    }

    /** Size of the buffers: a message fits, and not all of them. */
    int bufferBytes() {
        return 16 * 1024;
    }

    private static final int SENDS = 60;
    private static final Duration GIVE_UP = Duration.ofMillis(100);

    @ParameterizedTest
    @ValueSource(ints = {3_000, 5_000, 9_999, 20_000, 30_000, 32_000})
    void sendsComplete_senderStopsPolling_allOfThemArrive(int bytes) throws Exception {
        RnicOptions options = RnicOptions.defaults()
                .withProgress(Progress.INLINE)
                .withIwarp(it -> it.withSocketBufferBytes(bufferBytes()));
        try (ExecutorService peer = Executors.newSingleThreadExecutor();
                Rnic near = open(options);
                Rnic far = open(options)) {
            Site sender = new Site(near);
            Site receiver = new Site(far);
            Site.connect(sender, receiver);
            for (int i = 0; i < SENDS; i++) {
                assertTrue(receiver.queuePair.postReceive(i, receiver.memory, 0, bytes));
            }
            peer.submit(far::adopt).get(); // from here on no thread reads
            int complete = 0;
            while (complete < SENDS - 1) {
                assertTrue(sender.queuePair.postSend(complete, sender.memory, 0, bytes, WrFlags.SIGNALLED));
                if (!sender.cursor.next() && !(sender.cq.await(GIVE_UP) && sender.cursor.next())) {
                    break; // the sockets are full
                }
                assertTrue(sender.cursor.ok());
                complete++;
            }
            int sent = complete;
            peer.submit(() -> {
                        for (int i = 0; i < sent; i++) {
                            receiver.complete(i);
                        }
                    })
                    .get();
            assertEquals(bytes, receiver.cursor.byteCount());
            far.adopt();
        }
    }
}
