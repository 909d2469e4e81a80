package io.verbena.tools.perf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.base.Failure;
import io.verbena.verbs.RemoteRegion;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PerfMessageTest {

    private static final RemoteRegion MEMORY = new RemoteRegion(1L << 40, 4096, -7);
    private static final List<PerfMessage> ALL = List.of(
            new PerfMessage.Opened(-5, true, false, true),
            new PerfMessage.Join(77, 255, MEMORY),
            new PerfMessage.Joined(MEMORY),
            new PerfMessage.Start(PerfOp.READ_BW, 1 << 20, 5_000_000_000L),
            new PerfMessage.Ready(),
            new PerfMessage.End(),
            new PerfMessage.Result(123, 45, 456),
            new PerfMessage.Problem("There is no room."));

    @Test
    void bytes_everyMessage_readsBackAsItWas() throws Failure {
        for (PerfMessage message : ALL) {
            assertEquals(message, PerfMessage.read(PerfMessage.bytes(message)));
        }
        byte[] token = new byte[16];
        token[3] = 9;
        PerfMessage.Open open = assertInstanceOf(
                PerfMessage.Open.class, PerfMessage.read(PerfMessage.bytes(new PerfMessage.Open(token, 64, 4, 128))));
        assertArrayEquals(token, open.token());
        assertEquals(List.of(64, 4, 128), List.of(open.maxBytes(), open.queuePairs(), open.depth()));
    }

    @Test
    void read_cutAnywhere_isRefusedOrAnotherMessage() {
        for (PerfMessage message : ALL) {
            byte[] whole = PerfMessage.bytes(message);
            int least = message instanceof PerfMessage.Problem ? 8 : whole.length;
            for (int length = 0; length < least; length++) {
                byte[] cut = Arrays.copyOf(whole, length);
                assertThrows(Failure.class, () -> PerfMessage.read(cut));
            }
        }
    }

    @Test
    void read_otherProtocolOrVersion_isRefusedWithASentence() {
        byte[] bytes = PerfMessage.bytes(new PerfMessage.Ready());
        byte[] newer = ByteBuffer.wrap(bytes.clone()).putShort(4, (short) 3).array();
        assertTrue(refusal(newer).contains("version 3"));
        byte[] unknown = ByteBuffer.wrap(bytes.clone()).putShort(6, (short) 99).array();
        assertTrue(refusal(unknown).contains("unknown kind 99"));
        assertTrue(refusal("GET / HTTP/1.1\r\n".getBytes(StandardCharsets.US_ASCII))
                .contains("does not speak"));
        assertTrue(refusal(new byte[300]).contains("300 bytes"));
    }

    @Test
    void read_fieldsOutOfRange_areRefused() {
        for (PerfMessage bad : List.of(
                new PerfMessage.Open(new byte[16], 0, 1, 1),
                new PerfMessage.Open(new byte[16], -1, 1, 1),
                new PerfMessage.Open(new byte[16], Integer.MAX_VALUE, 1, 1),
                new PerfMessage.Open(new byte[16], 64, 0, 1),
                new PerfMessage.Open(new byte[16], 64, 257, 1),
                new PerfMessage.Open(new byte[16], 64, 1, 100_000),
                new PerfMessage.Join(1, -1, MEMORY),
                new PerfMessage.Join(1, 256, MEMORY),
                new PerfMessage.Start(PerfOp.READ_BW, 0, 1),
                new PerfMessage.Start(PerfOp.READ_BW, 64, -1),
                new PerfMessage.Start(PerfOp.READ_BW, 64, Long.MAX_VALUE))) {
            refusal(PerfMessage.bytes(bad));
        }
        byte[] operation = PerfMessage.bytes(new PerfMessage.Start(PerfOp.READ_BW, 64, 1));
        refusal(ByteBuffer.wrap(operation).putInt(8, -1).array());
        byte[] length = PerfMessage.bytes(new PerfMessage.Joined(MEMORY));
        refusal(ByteBuffer.wrap(length).putLong(16, -1).array());
    }

    @Test
    void read_anyBytesBehindTheHeader_areAMessageOrAFailure() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = new byte[8 + random.nextInt(60)];
            random.nextBytes(bytes);
            ByteBuffer.wrap(bytes).putInt(0x5650_5246).putShort((short) 1).putShort((short) random.nextInt(12));
            try {
                PerfMessage.bytes(PerfMessage.read(bytes));
            } catch (Failure e) {
                assertTrue(String.valueOf(e.getMessage()).startsWith("The peer"), e.getMessage());
            }
        }
    }

    @Test
    void problem_controlCharacters_doNotReachTheTerminal() throws Failure {
        PerfMessage read =
                PerfMessage.read(PerfMessage.bytes(new PerfMessage.Problem("\u001b[2Jx\n" + "y".repeat(400))));
        String sentence = assertInstanceOf(PerfMessage.Problem.class, read).sentence();
        assertTrue(sentence.startsWith("?[2Jx?y"));
        assertTrue(sentence.length() < 256);
    }

    private static String refusal(byte[] bytes) {
        return String.valueOf(
                assertThrows(Failure.class, () -> PerfMessage.read(bytes)).getMessage());
    }
}
