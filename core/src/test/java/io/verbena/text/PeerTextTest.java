package io.verbena.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PeerTextTest {

    @Test
    void ordinaryText_isShownAsItIs() {
        for (String text :
                new String[] {"", "a.bin", "z\u00fcrich \u65e5\u672c \ud83d\ude00", "e\u0301t\u00e9", "\u0645\u0631"}) {
            assertEquals(text, PeerText.shown(text));
        }
    }

    @Test
    void everyControlAndInvisibleCharacter_isAQuestionMark() {
        for (int character = 0; character <= Character.MAX_CODE_POINT; character++) {
            int type = Character.getType(character);
            boolean steers = type == Character.CONTROL || type == Character.FORMAT || character >> 16 == 0xe;
            if (steers && type != Character.NON_SPACING_MARK) {
                assertEquals("a?b", PeerText.shown("a" + Character.toString(character) + "b"), "U+" + character);
            }
        }
    }

    @Test
    void escapeSequencesOfAllKinds_loseTheirStart() {
        assertEquals("?[31m?31m?]0;x??P", PeerText.shown("\u001b[31m\u009b31m\u001b]0;x\u0007\u0090P"));
        assertEquals("?exe.txt?", PeerText.shown("\u202eexe.txt\u2069"));
        assertEquals("a?b??c", PeerText.shown("a\rb\n\u2028c"));
        assertEquals("??", PeerText.shown("\ud800\udfff".substring(1) + "\ud800"));
    }

    @Test
    void marksThatPileUp_areCut() {
        assertEquals("a" + "\u0301".repeat(4) + "??b", PeerText.shown("a" + "\u0301".repeat(6) + "b"));
    }

    @Test
    void lines_areKept() {
        assertEquals("a?\n    b", PeerText.shownLines("a\u001b\n\tb\n"));
    }
}
