package io.verbena.tools.picture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class UnitTest {

    @Test
    void bytes_powersOf1024() {
        assertEquals("0 B", Unit.BYTES.text(0));
        assertEquals("64 B", Unit.BYTES.text(64));
        assertEquals("1023 B", Unit.BYTES.text(1023));
        assertEquals("1 KiB", Unit.BYTES.text(1024));
        assertEquals("1.5 MiB", Unit.BYTES.text(1.5 * (1 << 20)));
        assertEquals("8 MiB", Unit.BYTES.text(8 << 20));
    }

    @Test
    void rates_powersOf1000() {
        assertEquals("2.5 GB/s", Unit.BYTES_PER_SECOND.text(2.5e9));
        assertEquals("250 k/s", Unit.PER_SECOND.text(250e3));
        assertEquals("3 M/s", Unit.PER_SECOND.text(3e6));
        assertEquals("7/s", Unit.PER_SECOND.text(7));
        assertEquals("1 GB/s", Unit.BYTES_PER_SECOND.text(999.9e6));
    }

    @Test
    void nanoseconds_becomeWhatPeopleSay() {
        assertEquals("800 ns", Unit.NANOSECONDS.text(800));
        assertEquals("5 µs", Unit.NANOSECONDS.text(5000));
        assertEquals("1.25 ms", Unit.NANOSECONDS.text(1.25e6));
        assertEquals("3600 s", Unit.NANOSECONDS.text(3600e9));
    }

    @Test
    void number_hasNoUnit() {
        assertEquals("1.23", Unit.NUMBER.text(1.2345));
        assertEquals("0.85", Unit.NUMBER.text(0.848));
        assertEquals("0.00123", Unit.NUMBER.text(0.001234));
        assertEquals("-2", Unit.NUMBER.text(-2));
    }
}
