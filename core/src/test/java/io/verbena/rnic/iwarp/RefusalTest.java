package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.iwarp.startup.PrivateData;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sentence with which an RNIC rejects a peer. */
class RefusalTest {

    private static final int MARK_BYTES = 4;

    @Test
    void sentence_anyLength_fillsThePrivateDataAtMost() {
        int most = PrivateData.MAX_LENGTH_ENHANCED - MARK_BYTES;
        for (int length : new int[] {1, most - 1, most, most + 1, 2 * most}) {
            PrivateData data = Refusal.privateData("x".repeat(length));
            assertEquals(MARK_BYTES + Math.min(length, most), data.toArray().length);
            assertEquals(Optional.of("x".repeat(Math.min(length, most))), Refusal.sentence(data));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "VBN!' ~', true", // the first and the last printable character
        "VBN!'', false",
        "VBN!x\u001fy, false",
        "VBN!x\u007fy, false",
        "VBN?text, false",
        "text, false"
    })
    void privateDataOfAPeer_isASentence_onlyIfItIsMarkedAndPrintable(String text, boolean sentence) {
        byte[] bytes = text.replace("'", "").getBytes(StandardCharsets.ISO_8859_1);
        assertEquals(sentence, Refusal.sentence(PrivateData.of(bytes)).isPresent());
    }
}
