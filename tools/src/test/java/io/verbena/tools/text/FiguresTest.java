package io.verbena.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class FiguresTest {

    @Test
    void bytes_anySize_haveABinaryUnit() {
        assertEquals("0 B", Figures.bytes(0));
        assertEquals("1023 B", Figures.bytes(1023));
        assertEquals("1.5 KiB", Figures.bytes(1536));
        assertEquals("256.0 MiB", Figures.bytes(256L << 20));
        assertEquals("8192.0 PiB", Figures.bytes(Long.MAX_VALUE));
    }

    @Test
    void rates_anySize_haveADecimalUnit() {
        assertEquals("2.31 GB/s", Figures.bytesPerSecond(2.31e9));
        assertEquals("12.00 B/s", Figures.bytesPerSecond(12));
        assertEquals("18,400/s", Figures.perSecond(18_400.4));
        assertEquals("7.0/s", Figures.perSecond(7));
    }

    @Test
    void rate_noTime_isZero() {
        assertEquals(0, Figures.rate(10, 0));
        assertEquals(20, Figures.rate(10, 500_000_000));
    }

    @Test
    void durations_anyLength_haveOneUnit() {
        assertEquals("0.012 s", Figures.seconds(12_400_000));
        assertEquals("62.500 s", Figures.seconds(62_500_000_000L));
        assertEquals("10 s", Figures.seconds(Duration.ofSeconds(10)));
        assertEquals("0.25 s", Figures.seconds(Duration.ofMillis(250)));
        assertEquals("0.9", Figures.microseconds(850));
        assertEquals("12,400.0", Figures.microseconds(12_400_000));
    }

    @Test
    void latencies_noneRecorded_areZero() {
        Latencies none = new Latencies();
        assertEquals("{\"min\":0,\"median\":0,\"p99\":0,\"max\":0}", none.json().toString());
    }

    @Test
    void latencies_recorded_showTheirDistribution() {
        Latencies latencies = new Latencies();
        for (int i = 1; i <= 100; i++) {
            latencies.record(i * 1000L);
        }
        assertEquals(100, latencies.count());
        assertEquals(1000, latencies.minNs());
        assertEquals("min 1.0, median 50.0, 99 % 99.0, longest 100.0 µs", latencies.sentence());
    }
}
