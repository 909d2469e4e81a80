package io.verbena.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FpduHeaderTest {
    @Test
    void everyUlpduLength_fpdu_isSmallestMultipleOfFour() {
        // RFC 5044 section 4.1 [1]: the pad of 0 to 3 bytes makes the whole FPDU a multiple of four.
        for (int length = 0; length <= FpduHeader.MAX_ULPDU_LENGTH; length++) {
            int pad = FpduHeader.padLength(length);
            assertTrue(pad >= 0 && pad <= 3);
            assertEquals(0, FpduHeader.fpduLength(length) & 3);
            assertEquals(length + 6 + pad, FpduHeader.fpduLength(length));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1448, false, 1442",
        "1449, false, 1442",
        "1460, false, 1454",
        "1460, true,  1442",
        "512,  true,  502",
        "513,  true,  498",
        "100,  false, 128",
        "100,  true,  128",
        "65535, false, 64768",
        "65535, true, 64768",
        "80000, false, 64768",
        "80000, true, 64768",
    })
    void emss_mulpdu_followsTheFormulasAndNeverFallsBelow128(int emss, boolean markers, int mulpdu) {
        // RFC 5044 section 4.5 [1, 2, 3]: EMSS less six bytes, less EMSS mod 4, less a marker per started 512 bytes.
        assertEquals(mulpdu, FpduHeader.mulpdu(emss, markers));
    }

    @Test
    void header_describe_tellsLengthAndPad() {
        assertEquals(
                "FPDU ulpdu=43 pad=3",
                new FpduHeader()
                        .wrap(Bytes.segment("002b"), 0)
                        .describe(new StringBuilder())
                        .toString());
    }
}
