package io.verbena.text;

/** Strings of JSON (RFC 8259 section 7). */
public final class JsonText {

    private static final String HEX = "0123456789abcdef";

    private JsonText() {}

    /**
     * Appends a string in quotation marks. Characters outside of ASCII, and those that HTML gives a meaning to, are escaped, so that the text
     * is harmless wherever it is copied to, and the same under any locale.
     */
    public static void quote(StringBuilder out, String text) {
        out.append('"');
        if (harmless(text)) {
            out.append(text);
        } else {
            escape(out, text);
        }
        out.append('"');
    }

    private static boolean harmless(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (special(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean special(char c) {
        return c < ' ' || c > '~' || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
    }

    private static void escape(StringBuilder out, String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> out.append('\\').append(c);
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> append(out, c);
            }
        }
    }

    private static void append(StringBuilder out, char c) {
        if (!special(c)) {
            out.append(c);
            return;
        }
        out.append("\\u");
        for (int shift = 12; shift >= 0; shift -= 4) {
            out.append(HEX.charAt(c >>> shift & 0xf));
        }
    }
}
