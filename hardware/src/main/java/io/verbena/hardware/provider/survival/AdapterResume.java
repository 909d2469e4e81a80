package io.verbena.hardware.provider.survival;

import io.verbena.survival.AssociationId;
import io.verbena.survival.AssociationSecret;
import io.verbena.survival.ResumeCodec;
import io.verbena.survival.ResumeMessage;
import io.verbena.survival.ResumePoint;
import io.verbena.survival.ResumeType;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * RESUME and its answers over an adapter, as private data: the 56 bytes that a request of InfiniBand has. What follows
 * them is padding of the transport. All fields are big-endian.
 *
 * <pre>
 *    0 magic                            4
 *    4 version                          1
 *    5 type                             1
 *    6 side                             1
 *    7 reserved                         1
 *    8 id                              16
 *   24 epoch                            8
 *   32 log word of the sender           8
 *   40 code over all before            16
 * </pre>
 *
 * @param message without progress: what an adapter has executed is stated by its log word only
 * @param executed slots of the receiver's send queue that the sender's adapter has logged as executed
 */
public record AdapterResume(ResumeMessage message, long executed) {

    /** Bytes. */
    public static final int LENGTH = 56;

    private static final int MAGIC = 0x56424e52; // "VBNR"
    private static final int VERSION = 1;
    private static final int CODE = LENGTH - AssociationSecret.CODE_LENGTH;
    private static final int TYPE_AT = 5;
    private static final int SIDE_AT = 6;
    private static final int ID_AT = 8;

    /** A message and its log word; what the engine states as progress is not sent. */
    public static byte[] encode(AdapterResume resume, AssociationId id, AssociationSecret secret) {
        byte[] bytes = plain(resume, id);
        System.arraycopy(secret.code(bytes, CODE), 0, bytes, CODE, AssociationSecret.CODE_LENGTH);
        return bytes;
    }

    private static byte[] plain(AdapterResume resume, AssociationId id) {
        return ByteBuffer.allocate(LENGTH)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) resume.message.type().code())
                .put((byte) resume.message.side())
                .put((byte) 0)
                .putLong(id.high())
                .putLong(id.low())
                .putLong(resume.message.epoch())
                .putLong(resume.executed)
                .array();
    }

    /** The answer to a RESUME that nothing here can open, which has no code. */
    public static byte[] unknown(byte[] resume) {
        byte[] bytes = Arrays.copyOf(resume, LENGTH);
        bytes[TYPE_AT] = (byte) ResumeType.UNKNOWN.code();
        bytes[SIDE_AT] = (byte) (1 - bytes[SIDE_AT]);
        Arrays.fill(bytes, CODE, LENGTH, (byte) 0);
        return bytes;
    }

    /** The id in bytes that have the shape of a message; empty for all others. */
    public static Optional<AssociationId> id(byte[] bytes) {
        if (bytes.length < LENGTH) {
            return Optional.empty();
        }
        ByteBuffer from = ByteBuffer.wrap(bytes, 0, LENGTH);
        boolean shape = from.getInt() == MAGIC
                && from.get() == VERSION
                && ResumeType.known(from.get())
                && (from.get() & ~1) == 0
                && from.get() == 0;
        return shape
                ? Optional.of(new AssociationId(from.getLong(ID_AT), from.getLong(ID_AT + Long.BYTES)))
                : Optional.empty();
    }

    /** The message in bytes that have an {@link #id}; empty if its code is wrong or a number in it is impossible. */
    public static Optional<AdapterResume> open(byte[] bytes, AssociationSecret secret) {
        byte[] message = Arrays.copyOf(bytes, LENGTH);
        ByteBuffer from = ByteBuffer.wrap(message);
        ResumeType type = ResumeType.of(message[TYPE_AT]);
        long epoch = from.getLong(ID_AT + 2 * Long.BYTES);
        long executed = from.getLong(ID_AT + 3 * Long.BYTES);
        boolean possible = epoch >= 1 && epoch <= ResumeCodec.MAX_EPOCH && executed >= 0;
        if (!possible || type != ResumeType.UNKNOWN && !secret.proves(message, CODE)) {
            return Optional.empty();
        }
        return Optional.of(new AdapterResume(
                new ResumeMessage(type, message[SIDE_AT], epoch, ResumePoint.none()),
                type == ResumeType.UNKNOWN ? 0 : executed));
    }
}
