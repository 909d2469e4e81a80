package io.verbena.text;

/**
 * Makes text that comes from a peer, or quotes one, safe to show. A terminal obeys control characters (C0 and C1: colours,
 * titles, the clipboard), and invisible characters change the order in which text is read (U+202E) or hide a part of it.
 * Each of them is replaced by a question mark.
 */
public final class PeerText {

    /** Maximum number of combining marks on one character; more would cover the lines around it. */
    private static final int MOST_MARKS = 4;

    private static final int CUT_MARK = '?';

    private PeerText() {}

    /** The text as one line without unsafe characters. */
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

    /** The same for each line of a text of several lines, which quotes a peer. */
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
