package io.verbena.files.protocol;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.protocol.FileMessage.Entry;
import io.verbena.files.protocol.FileMessage.Numbered;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Encodes and decodes messages as {@link FileMessage} draws them. Decoded bytes come from the peer and are hostile. */
public final class FileMessageCodec {

    /** Bytes of kind and number. */
    private static final int HEADER_BYTES = 4;

    private static final int NUMBER_MASK = 0xff_ffff;
    private static final int NAMES_HEADER_BYTES = 5;
    private static final int ENTRY_HEADER_BYTES = 10;

    private static final int LIST = 1;
    private static final int NAMES = 2;
    private static final int OPEN = 3;
    private static final int OPENED = 4;
    private static final int SUM = 5;
    private static final int SUMMED = 6;
    private static final int STAT = 7;
    private static final int STATUS = 8;
    private static final int COMMIT = 9;
    private static final int CLOSE = 10;
    private static final int CLOSED = 11;
    private static final int PROBLEM = 12;

    private FileMessageCodec() {}

    /** The number that follows another one. */
    public static int next(int number) {
        return number + 1 & NUMBER_MASK;
    }

    /** The first entries, as many as fit one message. */
    public static List<Entry> fitting(List<Entry> entries) {
        int left = FileMessage.MAX_BYTES - HEADER_BYTES - NAMES_HEADER_BYTES;
        int count = 0;
        for (Entry entry : entries) {
            left -= ENTRY_HEADER_BYTES + entry.name().getBytes(StandardCharsets.UTF_8).length;
            if (left < 0 || count == 0xff) {
                break;
            }
            count++;
        }
        return entries.subList(0, count);
    }

    /** Encodes a message at the position of a buffer, which has {@link FileMessage#MAX_BYTES} left. */
    static void write(Numbered numbered, ByteBuffer to) {
        int start = to.position();
        to.putInt(numbered.number() & NUMBER_MASK);
        int kind = switch (numbered.message()) {
            case FileMessage.ListFrom list -> {
                to.putInt(list.first());
                yield LIST;
            }
            case FileMessage.Names names -> {
                to.putInt(names.total()).put((byte) names.entries().size());
                names.entries().forEach(entry -> {
                    to.putLong(entry.size()).put(flag(entry.writable()));
                    putName(to, entry.name());
                });
                yield NAMES;
            }
            case FileMessage.Open open -> {
                to.putLong(open.client()).putLong(open.length()).put(flag(open.writing()));
                putName(to, open.name());
                yield OPEN;
            }
            case FileMessage.Opened opened -> {
                putAttributes(to, opened.attributes());
                to.putLong(opened.server()).put(opened.region().toBytes());
                yield OPENED;
            }
            case FileMessage.Sum sum -> {
                to.putLong(sum.offset()).putInt(sum.length());
                yield SUM;
            }
            case FileMessage.Summed summed -> {
                to.putInt(summed.crc32c()).put(flag(summed.zero()));
                yield SUMMED;
            }
            case FileMessage.Stat stat -> STAT;
            case FileMessage.Status status -> {
                putAttributes(to, status.attributes());
                yield STATUS;
            }
            case FileMessage.Commit commit -> {
                to.putLong(commit.length()).put(flag(commit.toDisk()));
                yield COMMIT;
            }
            case FileMessage.Close close -> CLOSE;
            case FileMessage.Closed closed -> CLOSED;
            case FileMessage.Problem problem -> {
                byte[] sentence = cut(problem.sentence());
                to.putShort((short) sentence.length).put(sentence);
                yield PROBLEM;
            }
        };
        to.put(start, (byte) kind);
    }

    /**
     * Decodes the message between the position and the limit of a buffer.
     *
     * @throws FileServiceException if the bytes are not a message
     */
    static Numbered read(ByteBuffer from) throws FileServiceException {
        int length = from.remaining();
        try {
            int word = from.getInt();
            FileMessage message = read(word >>> 24, new MessageFields(from));
            if (from.hasRemaining()) {
                throw new FileServiceException("Malformed control message: kind " + (word >>> 24) + " with "
                        + from.remaining() + " extra bytes");
            }
            return new Numbered(word & NUMBER_MASK, message);
        } catch (BufferUnderflowException e) {
            throw new FileServiceException(
                    "Malformed control message: it ends too early, after " + length + " bytes", e);
        } catch (CharacterCodingException e) {
            throw new FileServiceException("Malformed control message: its text is not UTF-8", e);
        }
    }

    private static FileMessage read(int kind, MessageFields from)
            throws FileServiceException, CharacterCodingException {
        return switch (kind) {
            case LIST -> new FileMessage.ListFrom(from.int32());
            case NAMES -> names(from);
            case OPEN -> {
                long client = from.int64();
                long length = from.lengthOrOffset();
                yield new FileMessage.Open(client, length, from.flag(), from.text(from.int8()));
            }
            case OPENED -> new FileMessage.Opened(from.attributes(), from.int64(), from.region());
            case SUM -> new FileMessage.Sum(from.lengthOrOffset(), from.int32());
            case SUMMED -> new FileMessage.Summed(from.int32(), from.flag());
            case STAT -> new FileMessage.Stat();
            case STATUS -> new FileMessage.Status(from.attributes());
            case COMMIT -> new FileMessage.Commit(from.lengthOrOffset(), from.flag());
            case CLOSE -> new FileMessage.Close();
            case CLOSED -> new FileMessage.Closed();
            case PROBLEM -> new FileMessage.Problem(from.text(from.int16()));
            default -> throw new FileServiceException("Malformed control message: unknown kind " + kind);
        };
    }

    private static FileMessage names(MessageFields from) throws FileServiceException, CharacterCodingException {
        int total = from.int32();
        int count = from.int8();
        List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long size = from.int64();
            boolean writable = from.flag();
            entries.add(new Entry(size, writable, from.text(from.int8())));
        }
        return new FileMessage.Names(total, entries);
    }

    private static byte flag(boolean value) {
        return (byte) (value ? 1 : 0);
    }

    private static void putName(ByteBuffer to, String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (bytes.length > FileMessage.MAX_NAME_BYTES) {
            throw new IllegalArgumentException("a name of " + bytes.length + " bytes");
        }
        to.put((byte) bytes.length).put(bytes);
    }

    private static void putAttributes(ByteBuffer to, FileAttributes attributes) {
        to.putLong(attributes.size()).putLong(attributes.modifiedNs());
        to.putLong(attributes.identity()).put(flag(attributes.writable()));
    }

    /** The sentence, cut to the space of a message between two characters. */
    private static byte[] cut(String sentence) {
        byte[] bytes = sentence.getBytes(StandardCharsets.UTF_8);
        int most = FileMessage.MAX_BYTES - HEADER_BYTES - Short.BYTES;
        if (bytes.length <= most) {
            return bytes;
        }
        int end = most;
        while ((bytes[end] & 0xc0) == 0x80) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }
}
