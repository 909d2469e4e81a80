package io.verbena.tools.text;

/**
 * Text that comes from a peer, or quotes one, as it may be shown. A terminal obeys control characters (C0 and C1: colours,
 * titles, the clipboard), and invisible characters make text read in another order than it is written (U+202E) or hide a
 * part of it. Each of them is shown as a question mark.
 */
public final class PeerText {

    /** More marks than this on one character pile up over the lines around. */
    private static final int MOST_MARKS = 4;

    private static final int CUT_MARK = '?';

    private PeerText() {}

    /** The text as one line that cannot steer a terminal. */
    public static String shown(String text) {
        if (text.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
            return text;
        }
        StringBuilder shown = new StringBuilder(text.length());
        int marks = 0;
        for (int at = 0; at < text.length(); ) {
            int character = text.codePointAt(at);
            at += Character.charCount(character);
            marks = isMark(character) ? marks + 1 : 0;
            shown.appendCodePoint(isSafe(character) && marks <= MOST_MARKS ? character : CUT_MARK);
        }
        return shown.toString();
    }

    /** Text of several lines, each of which is shown as {@link #shown} says. For text of our own that quotes a peer. */
    public static String shownLines(String text) {
        return String.join(
                "\n", text.replace("\t", "    ").lines().map(PeerText::shown).toList());
    }

    private static boolean isMark(int character) {
        int type = Character.getType(character);
        return type == Character.NON_SPACING_MARK
                || type == Character.ENCLOSING_MARK
                || type == Character.COMBINING_SPACING_MARK;
    }

    private static boolean isSafe(int character) {
        return switch (Character.getType(character)) {
            case Character.CONTROL, // C0, DEL and C1
                    Character.FORMAT, // order of writing, joiners, tags
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
