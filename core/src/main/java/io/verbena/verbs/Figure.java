package io.verbena.verbs;

import java.util.Objects;

/**
 * The definition of a figure: what a number in {@link Figures} means. Names follow OpenTelemetry: they are dotted and begin with
 * {@code verbena.}; the unit is beside the name, not in it.
 *
 * @param name name, such as {@code verbena.queue_pair.io}
 * @param kind whether the value only grows
 * @param unit unit in UCUM: {@code By}, {@code ns}, or what is counted in braces, such as {@code {request}}
 * @param attribute name of the attribute that distinguishes several values of one object, such as {@code direction}; empty if an
 *     object has one value
 * @param description one sentence
 */
public record Figure(String name, Kind kind, String unit, String attribute, String description) {

    /** How a value changes. */
    public enum Kind {
        /** A count since the object was created. It never decreases. */
        COUNTER,
        /** The present value. */
        GAUGE
    }

    /** A count since the object was created. */
    public static Figure counter(String name, String unit, String attribute, String description) {
        return new Figure(name, Kind.COUNTER, unit, attribute, description);
    }

    /** A present value. */
    public static Figure gauge(String name, String unit, String attribute, String description) {
        return new Figure(name, Kind.GAUGE, unit, attribute, description);
    }

    /** Checks that the name follows the rule. */
    public Figure {
        Objects.requireNonNull(kind, "the kind of a figure must not be null");
        if (!name.matches("verbena(\\.[a-z][a-z0-9_]*){2,}")) {
            throw new IllegalArgumentException("the name of a figure must be like verbena.queue_pair.io, not " + name);
        }
    }
}
