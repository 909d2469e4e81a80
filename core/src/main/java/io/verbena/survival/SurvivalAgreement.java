package io.verbena.survival;

import io.verbena.base.RandomSource;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * What one side contributes to the agreement that the first connection survives its transport: half of the id, and a
 * part of the secret. It travels in front of the private data of the program.
 */
public final class SurvivalAgreement {

    private final int side;
    private final long idHalf;
    private final byte[] secret;

    private SurvivalAgreement(int side, long idHalf, byte[] secret) {
        this.side = side;
        this.idHalf = idHalf;
        this.secret = secret;
    }

    /**
     * A new contribution.
     *
     * @param side 0 in a Request, 1 in a Reply
     */
    public static SurvivalAgreement random(int side, RandomSource random) {
        ByteBuffer secret = ByteBuffer.allocate(AssociationSecret.LENGTH);
        while (secret.hasRemaining()) {
            secret.putLong(random.nextLong());
        }
        return new SurvivalAgreement(side, random.nextLong(), secret.array());
    }

    /**
     * The contribution of one side at the head of private data; empty if the private data are those of a program
     * only.
     */
    public static Optional<SurvivalAgreement> of(byte[] privateData, int side) {
        if (!AgreementHeader.fits(privateData.length)) {
            return Optional.empty();
        }
        AgreementHeader header = new AgreementHeader().wrap(MemorySegment.ofArray(privateData), 0);
        return isMarked(privateData) && header.version() == AgreementHeader.VERSION && header.side() == side
                ? Optional.of(new SurvivalAgreement(
                        side,
                        header.idHalf(),
                        Arrays.copyOfRange(privateData, AgreementHeader.SECRET, AgreementHeader.LENGTH)))
                : Optional.empty();
    }

    /** Whether private data begin as an agreement does, whatever follows: those of a program must not. */
    public static boolean isMarked(byte[] privateData) {
        return privateData.length >= Integer.BYTES
                && new AgreementHeader()
                                .wrap(MemorySegment.ofArray(privateData), 0)
                                .magic()
                        == AgreementHeader.MAGIC;
    }

    /** The contribution, followed by the private data of the program. */
    public byte[] before(byte[] programData) {
        byte[] bytes = Arrays.copyOf(secretInPlace(), AgreementHeader.LENGTH + programData.length);
        System.arraycopy(programData, 0, bytes, AgreementHeader.LENGTH, programData.length);
        return bytes;
    }

    private byte[] secretInPlace() {
        byte[] bytes = new byte[AgreementHeader.LENGTH];
        new AgreementHeader()
                .wrap(MemorySegment.ofArray(bytes), 0)
                .magic(AgreementHeader.MAGIC)
                .version(AgreementHeader.VERSION)
                .side(side)
                .idHalf(idHalf);
        System.arraycopy(secret, 0, bytes, AgreementHeader.SECRET, secret.length);
        return bytes;
    }

    /** The private data of the program, which follow a contribution. */
    public static byte[] programData(byte[] privateData) {
        return Arrays.copyOfRange(privateData, AgreementHeader.LENGTH, privateData.length);
    }

    /** The id of the association that this contribution to the Request and that one to the Reply make. */
    public AssociationId id(SurvivalAgreement reply) {
        return new AssociationId(idHalf, reply.idHalf);
    }

    /** The secret of the same association. */
    public AssociationSecret secret(SurvivalAgreement reply) {
        byte[] both = Arrays.copyOf(secret, secret.length + reply.secret.length);
        System.arraycopy(reply.secret, 0, both, secret.length, reply.secret.length);
        return AssociationSecret.of(both);
    }

    /** Does not show the secret. */
    @Override
    public String toString() {
        return "agreement of side " + side;
    }
}
