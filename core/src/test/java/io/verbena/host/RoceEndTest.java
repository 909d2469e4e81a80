package io.verbena.host;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The end of connections of the provider roce over real UDP sockets. */
class RoceEndTest {

    private static final int ROUNDS = 30;

    @ParameterizedTest
    @CsvSource({"INLINE, INLINE", "INLINE, ENGINE_THREAD", "ENGINE_THREAD, INLINE", "ENGINE_THREAD, ENGINE_THREAD"})
    void receiver_closesWhenItHasPolledTheMessage_sendSucceeds(Progress sending, Progress receiving)
            throws IOException {
        RnicOptions roce = RnicOptions.defaults().withProvider("roce");
        try (Rnic near = Rnic.open(roce.withProgress(sending));
                Rnic far = Rnic.open(roce.withProgress(receiving))) {
            for (int i = 0; i < ROUNDS; i++) {
                Site sender = new Site(near);
                Site receiver = new Site(far);
                Site.connect(sender, receiver);
                assertTrue(receiver.queuePair.postReceive(1, receiver.memory, 0, 100));
                assertTrue(sender.queuePair.postSend(2, sender.memory, 0, 100, WrFlags.SIGNALLED));
                receiver.complete(1);
                receiver.queuePair.close();
                sender.complete(2);
                sender.queuePair.close();
                sender.memory.close();
                receiver.memory.close();
            }
        }
    }
}
