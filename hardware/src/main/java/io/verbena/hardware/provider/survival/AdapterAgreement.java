package io.verbena.hardware.provider.survival;

import io.verbena.base.RandomSource;
import io.verbena.survival.AssociationId;
import io.verbena.survival.AssociationSecret;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * What one side contributes to the agreement that a connection over an adapter survives its transport, in front of the
 * private data of the program. It is shorter than that of the software RNICs, because a request of InfiniBand has 56
 * bytes. All fields are big-endian.
 *
 * <pre>
 *    0 magic                            4
 *    4 version                          1
 *    5 side                             1
 *    6 reserved                         2
 *    8 half of the id                   8
 *   16 part of the secret              16
 *   32 address of the log words         8
 *   40 key of the log words             4
 * </pre>
 *
 * @param side 0 in a request, 1 in its reply
 * @param words where the peer writes: the {@link LogWords} of this side
 */
public record AdapterAgreement(int side, long idHalf, long secretHigh, long secretLow, RemoteWords words) {

    /** Bytes. */
    public static final int LENGTH = 44;

    private static final int MAGIC = 0x56424e41; // "VBNA"
    private static final int VERSION = 1;
    private static final int SECRET_BYTES = 16;

    /** A contribution of this side. */
    public static AdapterAgreement random(int side, RemoteWords words, RandomSource random) {
        return new AdapterAgreement(side, random.nextLong(), random.nextLong(), random.nextLong(), words);
    }

    /** The contribution of one side at the head of private data; empty if those are of a program only. */
    public static Optional<AdapterAgreement> of(byte[] privateData, int side) {
        if (privateData.length < LENGTH || !isMarked(privateData)) {
            return Optional.empty();
        }
        ByteBuffer from = ByteBuffer.wrap(privateData, Integer.BYTES, LENGTH - Integer.BYTES);
        if (from.get() != VERSION || from.get() != side || from.getShort() != 0) {
            return Optional.empty();
        }
        return Optional.of(new AdapterAgreement(
                side, from.getLong(), from.getLong(), from.getLong(), new RemoteWords(from.getLong(), from.getInt())));
    }

    /** Whether private data begin as an agreement does, whatever follows: those of a program must not. */
    public static boolean isMarked(byte[] privateData) {
        return privateData.length >= Integer.BYTES
                && ByteBuffer.wrap(privateData).getInt() == MAGIC;
    }

    /** The contribution, followed by the private data of the program. */
    public byte[] before(byte[] programData) {
        return ByteBuffer.allocate(LENGTH + programData.length)
                .putInt(MAGIC)
                .put((byte) VERSION)
                .put((byte) side)
                .putShort((short) 0)
                .putLong(idHalf)
                .putLong(secretHigh)
                .putLong(secretLow)
                .putLong(words.address())
                .putInt(words.key())
                .put(programData)
                .array();
    }

    /** The private data of the program, which follow a contribution. */
    public static byte[] programData(byte[] privateData) {
        return Arrays.copyOfRange(privateData, LENGTH, privateData.length);
    }

    /** The id of the association that this contribution to a request and that one to its reply make. */
    public AssociationId id(AdapterAgreement reply) {
        return new AssociationId(idHalf, reply.idHalf);
    }

    /** The secret of the same association. */
    public AssociationSecret secret(AdapterAgreement reply) {
        return AssociationSecret.of(ByteBuffer.allocate(2 * SECRET_BYTES)
                .putLong(secretHigh)
                .putLong(secretLow)
                .putLong(reply.secretHigh)
                .putLong(reply.secretLow)
                .array());
    }

    /** Does not show the secret. */
    @Override
    public String toString() {
        return "agreement of side " + side;
    }
}
