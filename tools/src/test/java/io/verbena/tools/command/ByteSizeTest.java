package io.verbena.tools.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class ByteSizeTest {

    private final ByteSize converter = new ByteSize();

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "64, 64",
        "64B, 64",
        "32k, 32768",
        "32K, 32768",
        "8MiB, 8388608",
        "8 mb, 8388608",
        "1.5G, 1610612736",
        "1T, 1099511627776"
    })
    void convert_size_bytes(String text, long bytes) {
        assertEquals(bytes, converter.convert(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "1x", "1 2", "1e3", "0x10", "12MiBs", "99999999999999999999"})
    void convert_notASize_refused(String text) {
        assertThrows(TypeConversionException.class, () -> converter.convert(text));
    }

    @Test
    void convert_notASize_saysWhatOneLooksLike() {
        assertEquals(
                "'5x' is not a size such as 4096, 32k, 8MiB or 1.5G",
                assertThrows(TypeConversionException.class, () -> converter.convert("5x"))
                        .getMessage());
    }
}
