package io.verbena.web;

/** Strings of JSON. */
final class JsonText {

    private static final String HEX = "0123456789abcdef";

    private JsonText() {}

    /**
     * Appends a string in quotation marks. Characters outside of ASCII, and those that HTML gives a meaning to, are escaped, so that the text
     * is harmless wherever it is copied to.
     */
    static void quote(StringBuilder out, String text) {
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
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (special(c)) {
                out.append("\\u");
                for (int shift = 12; shift >= 0; shift -= 4) {
                    out.append(HEX.charAt(c >>> shift & 0xf));
                }
            } else {
                out.append(c);
            }
        }
    }
}
