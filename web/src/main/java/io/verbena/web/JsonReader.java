package io.verbena.web;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads the part of JSON that {@link FiguresJson} writes: objects, arrays, strings and integers. Other texts are rejected, whatever they
 * contain.
 */
final class JsonReader {

    /** Objects inside of objects: more than figures have, and few enough for the stack. */
    private static final int MOST_DEPTH = 32;

    private final String text;
    private int at;
    private int depth;

    private JsonReader(String text) {
        this.text = text;
    }

    /**
     * The value of a text: a {@link Map}, {@link List}, {@link String} or {@link Long}.
     *
     * @throws IllegalArgumentException if the text is not such JSON
     */
    static Object read(String text) {
        JsonReader reader = new JsonReader(text);
        Object value = reader.value();
        if (reader.at != text.length()) {
            throw reader.wrong();
        }
        return value;
    }

    private Object value() {
        if (++depth > MOST_DEPTH) {
            throw wrong();
        }
        Object value = switch (peek()) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> string();
            default -> number();
        };
        depth--;
        return value;
    }

    private Map<String, Object> object() {
        Map<String, Object> members = new LinkedHashMap<>();
        take('{');
        while (peek() != '}') {
            separator(members.isEmpty());
            String name = string();
            take(':');
            if (members.put(name, value()) != null) {
                throw new IllegalArgumentException(
                        "the JSON of figures has two members \"" + name + "\" in one object");
            }
        }
        take('}');
        return members;
    }

    private List<Object> array() {
        List<Object> elements = new ArrayList<>();
        take('[');
        while (peek() != ']') {
            separator(elements.isEmpty());
            elements.add(value());
        }
        take(']');
        return elements;
    }

    private void separator(boolean first) {
        if (!first) {
            take(',');
        }
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        take('"');
        while (peek() != '"') {
            char c = text.charAt(at++);
            out.append(c == '\\' ? escaped() : c);
        }
        take('"');
        return out.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unit();
            default -> throw wrong();
        };
    }

    /** A UTF-16 code unit in four hexadecimal digits. */
    private char unit() {
        if (at + 4 > text.length()) {
            throw wrong();
        }
        at += 4;
        return (char) Integer.parseUnsignedInt(text, at - 4, at, 16);
    }

    private Long number() {
        int from = at;
        while (at < text.length() && (text.charAt(at) == '-' || Character.isDigit(text.charAt(at)))) {
            at++;
        }
        return Long.valueOf(text.substring(from, at));
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong();
        }
        return text.charAt(at);
    }

    private void take(char expected) {
        if (peek() != expected) {
            throw wrong();
        }
        at++;
    }

    private IllegalArgumentException wrong() {
        return new IllegalArgumentException("not the JSON of figures, at character " + at);
    }
}
