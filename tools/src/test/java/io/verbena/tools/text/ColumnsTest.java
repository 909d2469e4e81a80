package io.verbena.tools.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class ColumnsTest {

    @Test
    void lineThatFits_isOnePart() {
        assertEquals(List.of("12345 7890"), Columns.wrapped("12345 7890", 10));
    }

    @Test
    void longLine_breaksAtSpacesAndIsIndented() {
        assertEquals(
                List.of("a.bin to b.bin: 2.9", "    MiB in 0.512 s,", "    2.10 GB/s"),
                Columns.wrapped("a.bin to b.bin: 2.9 MiB in 0.512 s, 2.10 GB/s", 20));
    }

    @Test
    void longWord_staysWhole() {
        assertEquals(List.of("/a/folder/of/a/name", "    x"), Columns.wrapped("/a/folder/of/a/name x", 10));
        assertEquals(List.of("/a/folder/of/a/name"), Columns.wrapped("/a/folder/of/a/name", 10));
    }

    @Test
    void wrapped_emptyLine_staysOneLine() {
        assertEquals(List.of(""), Columns.wrapped("", 80));
    }
}
