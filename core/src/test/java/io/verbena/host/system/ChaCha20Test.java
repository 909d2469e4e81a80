package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import javax.crypto.Cipher;
import javax.crypto.spec.ChaCha20ParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** The generator of keys. */
class ChaCha20Test {

    private static final int BLOCKS = 5;

    @Test
    void blocks_areThoseOfTheJdksCipher() throws Exception {
        Random random = new Random(8439);
        for (int i = 0; i < 100; i++) {
            byte[] key = new byte[ChaCha20.KEY_WORDS * Integer.BYTES];
            random.nextBytes(key);
            int[] ours = new int[BLOCKS * ChaCha20.BLOCK_WORDS];
            for (int block = 0; block < BLOCKS; block++) {
                ChaCha20.block(words(key), block, ours, block * ChaCha20.BLOCK_WORDS);
            }
            assertArrayEquals(words(byTheJdk(key)), ours);
        }
    }

    private static byte[] byTheJdk(byte[] key) throws Exception {
        Cipher cipher = Cipher.getInstance("ChaCha20");
        cipher.init(
                Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "ChaCha20"), new ChaCha20ParameterSpec(new byte[12], 0));
        return cipher.doFinal(new byte[BLOCKS * ChaCha20.BLOCK_WORDS * Integer.BYTES]);
    }

    private static int[] words(byte[] bytes) {
        int[] words = new int[bytes.length / Integer.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
        return words;
    }

    @Test
    void numbers_doNotComeAgain_andNoTwoGeneratorsGiveTheSame() {
        Set<Long> seen = new HashSet<>();
        BufferedRandom one = new BufferedRandom();
        BufferedRandom other = new BufferedRandom();
        for (int i = 0; i < 10_000; i++) {
            seen.add(one.nextLong());
            seen.add(other.nextLong());
        }
        assertEquals(20_000, seen.size());
    }

    @Test
    void everyBit_isSetHalfOfTheTime() {
        BufferedRandom random = new BufferedRandom();
        int numbers = 100_000;
        int[] set = new int[Long.SIZE];
        for (int i = 0; i < numbers; i++) {
            long value = random.nextLong();
            for (int bit = 0; bit < Long.SIZE; bit++) {
                set[bit] += (int) (value >>> bit & 1);
            }
        }
        for (int count : set) {
            // Ten standard deviations: it fails once in 10^22 runs of a good generator.
            assertEquals(numbers / 2.0, count, 10 * Math.sqrt(numbers) / 2);
        }
    }
}
