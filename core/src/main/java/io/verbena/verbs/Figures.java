package io.verbena.verbs;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * Figures of one object at one moment, and of the objects that belong to it. A snapshot: it does not change, and its numbers were
 * read one after the other while the object worked, so that two of them may be apart by the operations in between.
 *
 * @param subject kind of the object: {@code rnic}, {@code queue_pair}, …
 * @param identity what distinguishes the object from others of its kind; constant during its life
 * @param texts what describes the object and may change, such as its state
 * @param values numbers
 * @param parts figures of the objects that belong to this one
 */
public record Figures(
        String subject,
        SequencedMap<String, String> identity,
        SequencedMap<String, String> texts,
        List<Value> values,
        List<Figures> parts) {

    /**
     * A number.
     *
     * @param figure what it means
     * @param attribute value of the attribute of the figure; empty if the figure has none
     * @param number the number, in the unit of the figure
     */
    public record Value(Figure figure, String attribute, long number) {}

    /** Copies the collections. */
    public Figures {
        identity = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(identity));
        texts = Collections.unmodifiableSequencedMap(new LinkedHashMap<>(texts));
        values = List.copyOf(values);
        parts = List.copyOf(parts);
    }

    /** Begins the figures of an object of this kind. */
    public static Builder of(String subject) {
        return new Builder(subject);
    }

    /** The number of a figure without an attribute; 0 if the object does not have the figure. */
    public long number(Figure figure) {
        return number(figure, "");
    }

    /** The number of a figure for this value of its attribute; 0 if the object does not have it. */
    public long number(Figure figure, String attribute) {
        for (Value value : values) {
            if (value.figure().equals(figure) && value.attribute().equals(attribute)) {
                return value.number();
            }
        }
        return 0;
    }

    /** The parts of one kind. */
    public List<Figures> parts(String kind) {
        return parts.stream().filter(part -> part.subject().equals(kind)).toList();
    }

    /** Collects the figures of one object. */
    public static final class Builder {
        private final String subject;
        private final SequencedMap<String, String> identity = new LinkedHashMap<>();
        private final SequencedMap<String, String> texts = new LinkedHashMap<>();
        private final List<Value> values = new ArrayList<>();
        private final List<Figures> parts = new ArrayList<>();

        private Builder(String subject) {
            this.subject = subject;
        }

        /** Adds a constant property that distinguishes the object. */
        public Builder identity(String name, Object value) {
            identity.put(name, value.toString());
            return this;
        }

        /** Adds a description, which may change during the life of the object. */
        public Builder text(String name, Object value) {
            texts.put(name, value.toString());
            return this;
        }

        /** Adds the number of a figure without an attribute. */
        public Builder value(Figure figure, long number) {
            return value(figure, "", number);
        }

        /**
         * Adds the number of a figure for one value of its attribute.
         *
         * @throws IllegalArgumentException if the figure has an attribute and the value is empty, or the reverse
         */
        public Builder value(Figure figure, String attribute, long number) {
            if (figure.attribute().isEmpty() != attribute.isEmpty()) {
                throw new IllegalArgumentException(figure.name() + " has the attribute '" + figure.attribute()
                        + "', but its value is '" + attribute + "'");
            }
            values.add(new Value(figure, attribute, number));
            return this;
        }

        /** Adds the figures of an object that belongs to this one. */
        public Builder part(Figures figures) {
            parts.add(figures);
            return this;
        }

        /** Lets another component add to these figures. */
        public Builder with(Consumer<Builder> source) {
            source.accept(this);
            return this;
        }

        /** The figures collected so far. */
        public Figures build() {
            return new Figures(subject, identity, texts, values, parts);
        }
    }
}
