package io.verbena.fabric.topology;

import java.util.Optional;

/** The number of lanes of a link, with the code of PortInfo. */
public enum LinkWidth {
    X1(1, 1),
    X2(2, 16),
    X4(4, 2),
    X8(8, 4),
    X12(12, 8);

    private final int lanes;
    private final int code;

    LinkWidth(int lanes, int code) {
        this.lanes = lanes;
        this.code = code;
    }

    /** Number of physical lanes. */
    public int lanes() {
        return lanes;
    }

    /** The bit of PortInfo's LinkWidth fields. */
    public int code() {
        return code;
    }

    /** The width that a text such as {@code 4x} names; empty if it names none. */
    static Optional<LinkWidth> parse(String text) {
        for (LinkWidth width : values()) {
            if (text.equals(width.lanes + "x")) {
                return Optional.of(width);
            }
        }
        return Optional.empty();
    }
}
