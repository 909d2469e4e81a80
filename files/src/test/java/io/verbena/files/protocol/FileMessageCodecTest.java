package io.verbena.files.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.protocol.FileMessage.Entry;
import io.verbena.files.protocol.FileMessage.Numbered;
import io.verbena.verbs.RemoteRegion;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class FileMessageCodecTest {

    private static final FileAttributes ATTRIBUTES = new FileAttributes(1L << 40, -5, 0x1234_5678_9abc_def0L, true);
    private static final int ROUNDS = 300_000;

    static Stream<FileMessage> messages() {
        return Stream.of(
                new FileMessage.ListFrom(7),
                new FileMessage.Names(2, List.of(new Entry(5, false, "a.bin"), new Entry(-1, true, "z\u00fcrich"))),
                new FileMessage.Names(0, List.of()),
                new FileMessage.Open(-1, 1L << 50, true, "a.bin"),
                new FileMessage.Open(1, 0, false, ""),
                new FileMessage.Opened(ATTRIBUTES, -9, new RemoteRegion(-1, 1L << 40, -77)),
                new FileMessage.Sum(1L << 41, -1),
                new FileMessage.Summed(0xdead_beef, true),
                new FileMessage.Stat(),
                new FileMessage.Status(ATTRIBUTES),
                new FileMessage.Commit(9, false),
                new FileMessage.Close(),
                new FileMessage.Closed(),
                new FileMessage.Problem("It does not work"));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void message_writtenAndRead_isTheSame(FileMessage message) throws FileServiceException {
        Numbered numbered = new Numbered(0xab_cdef, message);
        assertEquals(numbered, FileMessageCodec.read(bytes(numbered)));
    }

    @ParameterizedTest
    @MethodSource("messages")
    void message_cutAnywhere_isRefusedWithASentence(FileMessage message) {
        ByteBuffer whole = bytes(new Numbered(1, message));
        for (int length = 0; length < whole.limit(); length++) {
            ByteBuffer cut = whole.slice(0, length);
            assertThrows(FileServiceException.class, () -> FileMessageCodec.read(cut));
        }
    }

    @ParameterizedTest
    @MethodSource("messages")
    void message_withOneByteMore_isRefused(FileMessage message) {
        ByteBuffer longer = bytes(new Numbered(1, message));
        longer.limit(longer.limit() + 1);
        FileServiceException failure = assertThrows(FileServiceException.class, () -> FileMessageCodec.read(longer));
        assertTrue(
                String.valueOf(failure.getMessage()).startsWith("Malformed control message: "), failure.getMessage());
    }

    @Test
    void sum_onTheWire_isAsDrawn() {
        ByteBuffer sum = bytes(new Numbered(3, new FileMessage.Sum(0x10_0000, 0x8_0000)));
        byte[] found = new byte[sum.remaining()];
        sum.get(found);
        assertEquals(
                "05000003" + "0000000000100000" + "00080000", HexFormat.of().formatHex(found));
    }

    @ParameterizedTest
    @CsvSource({
        "00000000, unknown kind 0",
        "0d000000, unknown kind 13",
        "05000000ffffffffffffffff00000001, length or offset -1 is out of range",
        "0600000000000000ff, flag -1 is neither 0 nor 1",
        "0c0000000001ff, not UTF-8"
    })
    void bytes_thatAreNoMessage_refusedWithTheReason(String hex, String sentence) {
        ByteBuffer bytes = ByteBuffer.wrap(HexFormat.of().parseHex(hex));
        FileServiceException failure = assertThrows(FileServiceException.class, () -> FileMessageCodec.read(bytes));
        assertTrue(String.valueOf(failure.getMessage()).contains(sentence), failure.getMessage());
    }

    @Test
    void bytes_ofAnyKind_areAMessageOrRefused() {
        Random random = new Random(20);
        List<ByteBuffer> seeds =
                messages().map(message -> bytes(new Numbered(1, message))).toList();
        byte[] wild = new byte[FileMessage.MAX_BYTES];
        for (int round = 0; round < ROUNDS; round++) {
            int length = random.nextInt(round % 2 == 0 ? 64 : wild.length);
            random.nextBytes(wild);
            if (round % 2 == 0) {
                ByteBuffer seed = seeds.get(random.nextInt(seeds.size()));
                length = seed.limit();
                seed.get(0, wild, 0, length);
                wild[random.nextInt(length)] = (byte) random.nextInt();
            } else {
                wild[0] = (byte) random.nextInt(14);
            }
            readOrRefuse(ByteBuffer.wrap(wild, 0, length));
        }
    }

    /** What can be read can be written again, and is the same then. */
    private static void readOrRefuse(ByteBuffer bytes) {
        try {
            Numbered read = FileMessageCodec.read(bytes.slice());
            if (!(read.message() instanceof FileMessage.Problem)) {
                assertEquals(bytes.slice(), bytes(read));
            }
        } catch (FileServiceException e) {
            assertTrue(String.valueOf(e.getMessage()).startsWith("Malformed control message: "), e.getMessage());
        }
    }

    @Test
    void names_tooManyForAMessage_asManyAsFit() throws FileServiceException {
        List<Entry> many = IntStream.range(0, 300)
                .mapToObj(i -> new Entry(i, false, "n".repeat(i % 255 + 1)))
                .toList();
        List<Entry> fitting = FileMessageCodec.fitting(many);
        assertTrue(fitting.size() > 20 && fitting.size() < 50, "" + fitting.size());
        Numbered names = new Numbered(0, new FileMessage.Names(300, fitting));
        assertEquals(names, FileMessageCodec.read(bytes(names)));
    }

    @Test
    void problem_tooLong_isCutBetweenCharacters() throws FileServiceException {
        Numbered read = FileMessageCodec.read(bytes(new Numbered(0, new FileMessage.Problem("\u00fc".repeat(2000)))));
        assertEquals(new FileMessage.Problem("\u00fc".repeat(509)), read.message());
    }

    private static ByteBuffer bytes(Numbered message) {
        ByteBuffer buffer = ByteBuffer.allocate(FileMessage.MAX_BYTES + 1);
        FileMessageCodec.write(message, buffer);
        return buffer.flip();
    }
}
