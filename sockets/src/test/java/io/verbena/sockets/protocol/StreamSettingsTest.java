package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The sizes of buffers that grow. */
class StreamSettingsTest {

    @ParameterizedTest
    @CsvSource({
        "928, 4096",
        "4096, 16384",
        "16384, 65536",
        "65536, 262144",
        "262144, 524288",
        "524288, 524288",
        "1024, 4096",
        "1026, 8192"
    })
    void buffer_grows_toAPowerOfTwo(int bytes, int grown) {
        assertEquals(grown, new StreamSettings(16, 32, 928, 524_288, true, false).grown(bytes));
    }

    @ParameterizedTest
    @CsvSource({"268435456, 268435456", "134217728, 268435456"})
    void largestBuffer_doesNotOverflow(int bytes, int grown) {
        assertEquals(grown, new StreamSettings(16, 32, 928, 1 << 28, true, false).grown(bytes));
    }
}
