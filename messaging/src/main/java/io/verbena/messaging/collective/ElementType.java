package io.verbena.messaging.collective;

/** Types of the elements that a reduction combines. Pairs have the layout of a C structure: a value, then an int, aligned. */
public enum ElementType {
    BYTE(1),
    BOOLEAN(1),
    CHAR(2),
    SHORT(2),
    INT(4),
    LONG(8),
    FLOAT(4),
    DOUBLE(8),
    SHORT_INT(8, 4),
    INT_INT(8, 4),
    LONG_INT(16, 8),
    FLOAT_INT(8, 4),
    DOUBLE_INT(16, 8);

    private final int bytes;
    private final int indexOffset;

    ElementType(int bytes) {
        this(bytes, 0);
    }

    ElementType(int bytes, int indexOffset) {
        this.bytes = bytes;
        this.indexOffset = indexOffset;
    }

    /** Bytes of an element, with padding. */
    public int bytes() {
        return bytes;
    }

    /** Returns whether an element is a value and an index, for MINLOC and MAXLOC. */
    public boolean pair() {
        return indexOffset > 0;
    }

    /** Offset of the index of a pair. */
    public int indexOffset() {
        return indexOffset;
    }

    /** Returns whether an element is a floating point number. */
    public boolean floating() {
        return this == FLOAT || this == DOUBLE;
    }
}
