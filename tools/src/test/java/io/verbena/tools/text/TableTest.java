package io.verbena.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class TableTest {

    private static final Table TABLE = new Table(new Table.Column("size", 6), new Table.Column("rate", 8));

    @Test
    void wideTerminal_alignedUnderTitles() {
        assertEquals(List.of("    size     rate"), TABLE.head(17));
        assertEquals("     8 B 1.0 GB/s", TABLE.row(17, List.of("8 B", "1.0 GB/s")));
    }

    @Test
    void noTerminal_aligned() {
        assertTrue(TABLE.fits(0));
        assertEquals("     8 B 1.0 GB/s", TABLE.row(0, List.of("8 B", "1.0 GB/s")));
    }

    @Test
    void narrowTerminal_titlesBesideValues() {
        assertFalse(TABLE.fits(16));
        assertEquals(List.of(), TABLE.head(16));
        assertEquals("  size 8 B, rate 1.0 GB/s", TABLE.row(16, List.of("8 B", "1.0 GB/s")));
    }

    @Test
    void columnOfNames_leftAlignedAndWithoutTitle() {
        Table names = new Table(new Table.Column("", 6, true), new Table.Column("rate", 8));
        assertEquals(List.of("             rate"), names.head(80));
        assertEquals("  Read     9 MB/s", names.row(80, List.of("Read", "9 MB/s")));
        assertEquals("  Read, rate 9 MB/s", names.row(10, List.of("Read", "9 MB/s")));
    }

    @Test
    void row_ofAnotherNumberOfCells_refused() {
        assertThrows(IllegalArgumentException.class, () -> TABLE.row(0, List.of("8 B")));
    }
}
