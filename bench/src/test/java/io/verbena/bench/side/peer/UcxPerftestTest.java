package io.verbena.bench.side.peer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class UcxPerftestTest {

    @Test
    void output_lastLineOfFigures_isTaken() throws IOException {
        String output = """
                iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
                [thread 0]5651,17.066,176.973,176.973,353.16,353.16,5651,5651
                20000,34.563,133.511,176.427,468.13,354.25,7490,5668
                """;
        assertEquals(176.427, UcxPerftest.overallMicros(output));
    }

    @Test
    void outputWithoutFigures_isAnError_thatShowsIt() {
        IOException e = assertThrows(IOException.class, () -> UcxPerftest.overallMicros("connection refused\n"));
        assertEquals("ucx_perftest printed no figures: connection refused", e.getMessage());
    }

    @Test
    void fewerColumns_areAnError() {
        assertThrows(IOException.class, () -> UcxPerftest.overallMicros("20000,34.563\n"));
    }
}
