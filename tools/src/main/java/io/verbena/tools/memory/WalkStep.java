package io.verbena.tools.memory;

import java.util.List;

/**
 * One step of an address through the tables.
 *
 * @param title what is looked at
 * @param fields its parts, from left to right
 * @param sentence what follows from it
 */
public record WalkStep(String title, List<Field> fields, String sentence) {

    /**
     * A part of an address or of a table entry.
     *
     * @param name of the part
     * @param value what it holds
     * @param passedOn whether the next step uses it
     */
    public record Field(String name, String value, boolean passedOn) {}

    static Field field(String name, String value) {
        return new Field(name, value, false);
    }

    static Field passedOn(String name, String value) {
        return new Field(name, value, true);
    }
}
