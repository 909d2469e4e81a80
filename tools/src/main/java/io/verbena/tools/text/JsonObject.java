package io.verbena.tools.text;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON object that keeps the order in which its members were put. */
public final class JsonObject {

    private final Map<String, Object> members = new LinkedHashMap<>();

    /** Adds or replaces a member. */
    public JsonObject put(String name, String value) {
        members.put(name, value);
        return this;
    }

    /** Adds or replaces a member. */
    public JsonObject put(String name, long value) {
        members.put(name, value);
        return this;
    }

    /** Adds or replaces a member. */
    public JsonObject put(String name, double value) {
        members.put(name, value);
        return this;
    }

    /** Adds or replaces a member. */
    public JsonObject put(String name, boolean value) {
        members.put(name, value);
        return this;
    }

    /** Adds or replaces a member. */
    public JsonObject put(String name, JsonObject value) {
        members.put(name, value.members);
        return this;
    }

    /** Adds or replaces an array of numbers. */
    public JsonObject putNumbers(String name, long[] values) {
        members.put(name, Arrays.stream(values).boxed().toList());
        return this;
    }

    /** Adds or replaces an array of strings. */
    public JsonObject putStrings(String name, List<String> values) {
        members.put(name, List.copyOf(values));
        return this;
    }

    /** Adds or replaces an array of objects. */
    public JsonObject putObjects(String name, List<JsonObject> values) {
        members.put(name, values.stream().map(value -> value.members).toList());
        return this;
    }

    /** The object as JSON text on one line. */
    @Override
    public String toString() {
        return Json.write(members);
    }
}
