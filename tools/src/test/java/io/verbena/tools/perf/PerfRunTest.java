package io.verbena.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.verbena.tools.text.ProgressBar;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PerfRunTest {

    @ParameterizedTest
    @EnumSource(Progress.class)
    void everyOperation_oddSizesAndDepths_sendsWhatItSays(Progress progress) throws Exception {
        try (PerfEnds ends = new PerfEnds(progress, Optional.empty());
                Rnic rnic = Rnic.open(RnicOptions.defaults().withProgress(progress));
                PerfClient client = ends.connect(rnic, PerfEnds.settings(70_001, 3, 5, progress, PerfEnds.TOKEN))) {
            for (PerfOp op : PerfOp.values()) {
                for (int size : new int[] {1, 70_001, 13}) {
                    PerfRun run = new PerfRun(op, size, 101, PerfRun.MOST_NS, 5, 4);
                    PerfResult result = client.run(run, WarmUp.none(), ProgressBar.hidden());
                    assertEquals(101, result.moved().messages(), run::toString);
                    assertEquals(op.latency(), result.latencies().isPresent());
                    assertTrue(result.moved().durationNs() > 0);
                }
            }
        }
    }

    /** The smallest object has 16 bytes. Parking, which a busy machine makes us do more often, makes some of its own. */
    @Test
    void measuring_makesNoObjectPerMessage() throws Exception {
        try (PerfEnds ends = new PerfEnds(Progress.ENGINE_THREAD, Optional.empty());
                Rnic rnic = Rnic.open(RnicOptions.defaults());
                PerfClient client =
                        ends.connect(rnic, PerfEnds.settings(64, 1, 256, Progress.ENGINE_THREAD, PerfEnds.TOKEN))) {
            for (PerfOp op : new PerfOp[] {PerfOp.WRITE_BW, PerfOp.SEND_BW, PerfOp.READ_BW}) {
                allocated(client, op, 2_000); // whatever is made once
                long few = allocated(client, op, 1_000);
                long many = allocated(client, op, 21_000);
                assertTrue(many - few < 16 * 20_000, op + ": " + (many - few) + " bytes for 20,000 messages more");
            }
        }
    }

    private static long allocated(PerfClient client, PerfOp op, long messages) throws Exception {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        client.run(new PerfRun(op, 64, messages, PerfRun.MOST_NS, 256, 64), WarmUp.none(), ProgressBar.hidden());
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void server_wrongToken_refusesAndServesOn() throws Exception {
        byte[] token = new byte[PerfSettings.TOKEN_BYTES];
        token[0] = 1;
        try (PerfEnds ends = new PerfEnds(Progress.ENGINE_THREAD, Optional.of(token));
                Rnic rnic = Rnic.open()) {
            PerfSettings stranger = PerfEnds.settings(64, 1, 4, Progress.ENGINE_THREAD, PerfEnds.TOKEN);
            IOException refused = assertThrows(IOException.class, () -> ends.connect(rnic, stranger));
            assertTrue(
                    String.valueOf(refused.getMessage()).contains("The server refused the session: "),
                    refused::toString);
            try (PerfClient client = ends.connect(rnic, PerfEnds.settings(64, 1, 4, Progress.ENGINE_THREAD, token))) {
                PerfRun run = new PerfRun(PerfOp.READ_LAT, 8, 10, PerfRun.MOST_NS, 4, 1);
                assertEquals(
                        10,
                        client.run(run, WarmUp.none(), ProgressBar.hidden())
                                .moved()
                                .messages());
            }
        }
    }

    @Test
    void server_tooMuchMemoryWanted_refuses() throws Exception {
        try (PerfEnds ends = new PerfEnds(Progress.ENGINE_THREAD, Optional.empty());
                PerfIntruder intruder = new PerfIntruder()) {
            byte[] greedy = PerfMessage.bytes(new PerfMessage.Open(PerfEnds.TOKEN, 1 << 28, 256, 1));
            assertTrue(intruder.refusal(ends.address(), greedy).contains("bytes of memory"));
            byte[] deep = PerfMessage.bytes(new PerfMessage.Open(PerfEnds.TOKEN, 1, 256, 8192));
            assertTrue(intruder.refusal(ends.address(), deep).contains("completion queue entries"));
        }
    }

    @Test
    void server_garbageOrStrayConnection_refusesAndServesOn() throws Exception {
        try (PerfEnds ends = new PerfEnds(Progress.ENGINE_THREAD, Optional.empty());
                PerfIntruder intruder = new PerfIntruder()) {
            assertTrue(intruder.refusal(ends.address(), new byte[0]).contains("does not speak"));
            assertTrue(intruder.refusal(ends.address(), new byte[400]).contains("does not speak"));
            byte[] stray = PerfMessage.bytes(new PerfMessage.Join(1, 0, intruder.region()));
            assertTrue(intruder.refusal(ends.address(), stray).contains("A session begins"));
            intruder.openAndSend(ends.address(), new byte[] {1, 2, 3});
            intruder.openAndSend(ends.address(), PerfMessage.bytes(new PerfMessage.Start(PerfOp.READ_BW, 1 << 20, 1)));
            assertTrue(ends.log.stream().anyMatch(line -> line.contains(" failed after ")), ends.log::toString);
            try (Rnic rnic = Rnic.open();
                    PerfClient client =
                            ends.connect(rnic, PerfEnds.settings(64, 1, 4, Progress.ENGINE_THREAD, PerfEnds.TOKEN))) {
                PerfRun run = new PerfRun(PerfOp.SEND_LAT, 8, 10, PerfRun.MOST_NS, 4, 1);
                assertEquals(
                        10,
                        client.run(run, WarmUp.none(), ProgressBar.hidden())
                                .moved()
                                .messages());
            }
        }
    }
}
