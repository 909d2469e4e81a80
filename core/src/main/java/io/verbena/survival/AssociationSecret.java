package io.verbena.survival;

import io.verbena.base.RandomSource;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * 256 bits that only the two sides of an association know, and the codes that prove a message comes from one of them.
 */
public final class AssociationSecret {

    /** Bytes. */
    public static final int LENGTH = 32;

    /** Bytes of a {@link #code}: HMAC-SHA-256, cut to 128 bits. */
    public static final int CODE_LENGTH = 16;

    private static final int BLOCK = 64;
    private static final byte INNER = 0x36;
    private static final byte OUTER = 0x5c;

    private final byte[] key;

    private AssociationSecret(byte[] key) {
        this.key = key;
    }

    /** A random secret. */
    public static AssociationSecret random(RandomSource random) {
        ByteBuffer key = ByteBuffer.allocate(LENGTH);
        while (key.hasRemaining()) {
            key.putLong(random.nextLong());
        }
        return new AssociationSecret(key.array());
    }

    /** The secret that these bytes are; copies them. */
    public static AssociationSecret of(byte[] bytes) {
        if (bytes.length > BLOCK) {
            throw new IllegalArgumentException("a secret has at most " + BLOCK + " bytes, not " + bytes.length);
        }
        return new AssociationSecret(bytes.clone());
    }

    /** The code of the first {@code length} bytes. */
    public byte[] code(byte[] message, int length) {
        // RFC 2104 section 2: H(K xor opad, H(K xor ipad, text)).
        MessageDigest hash = sha256();
        hash.update(padded(INNER));
        hash.update(message, 0, length);
        byte[] inner = hash.digest();
        hash.update(padded(OUTER));
        return Arrays.copyOf(hash.digest(inner), CODE_LENGTH);
    }

    /** Whether the code follows the first {@code length} bytes; takes the same time for every wrong code. */
    public boolean proves(byte[] message, int length) {
        return message.length - length >= CODE_LENGTH
                && MessageDigest.isEqual(
                        code(message, length), Arrays.copyOfRange(message, length, length + CODE_LENGTH));
    }

    private byte[] padded(byte pad) {
        byte[] block = Arrays.copyOf(key, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            block[i] ^= pad;
        }
        return block;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }

    /** Does not show the secret. */
    @Override
    public String toString() {
        return "secret of " + key.length + " bytes";
    }
}
