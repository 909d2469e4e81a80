package io.verbena.tools.text;

import io.verbena.text.JsonText;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes JSON (RFC 8259): maps, lists, strings, numbers, booleans and null. Strings are those of {@link JsonText}.
 */
public final class Json {

    private Json() {}

    /**
     * One value as JSON text on one line.
     *
     * @throws IllegalArgumentException for a type that JSON does not have
     */
    public static String write(@Nullable Object value) {
        StringBuilder out = new StringBuilder();
        append(out, value);
        return out.toString();
    }

    private static void append(StringBuilder out, @Nullable Object value) {
        switch (value) {
            case null -> out.append("null");
            case Map<?, ?> map -> appendObject(out, map);
            case List<?> list -> appendArray(out, list);
            case CharSequence text -> JsonText.quote(out, text.toString());
            case Boolean flag -> out.append(flag);
            case Double number -> appendDouble(out, number);
            case Float number -> appendDouble(out, number.doubleValue());
            case Number number -> out.append(number);
            case Enum<?> constant -> JsonText.quote(out, constant.name());
            default -> throw new IllegalArgumentException("JSON has no " + value.getClass());
        }
    }

    private static void appendObject(StringBuilder out, Map<?, ?> map) {
        out.append('{');
        Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
        while (entries.hasNext()) {
            Map.Entry<?, ?> entry = entries.next();
            JsonText.quote(out, String.valueOf(entry.getKey()));
            out.append(':');
            append(out, entry.getValue());
            if (entries.hasNext()) {
                out.append(',');
            }
        }
        out.append('}');
    }

    private static void appendArray(StringBuilder out, List<?> list) {
        out.append('[');
        Iterator<?> values = list.iterator();
        while (values.hasNext()) {
            append(out, values.next());
            if (values.hasNext()) {
                out.append(',');
            }
        }
        out.append(']');
    }

    /** JSON has neither infinities nor NaN: they become null. */
    private static void appendDouble(StringBuilder out, double number) {
        if (!Double.isFinite(number)) {
            out.append("null");
        } else if (number == Math.rint(number) && Math.abs(number) < 1e15) {
            out.append((long) number);
        } else {
            out.append(number);
        }
    }
}
