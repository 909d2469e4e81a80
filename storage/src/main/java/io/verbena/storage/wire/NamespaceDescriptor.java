package io.verbena.storage.wire;

/**
 * One name of a namespace (CNS 3), followed by its bytes. The list ends with zeros.
 *
 * <pre>
 *  0 NIDT | 1 NIDL | 2 reserved (2) | 4 NID
 * </pre>
 */
public final class NamespaceDescriptor extends Structure<NamespaceDescriptor> {
    /** Length in bytes. */
    public static final int LENGTH = 4;

    @Override
    NamespaceDescriptor self() {
        return this;
    }

    /** Whether {@code available} bytes contain the structure. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** NIDT: 1 EUI64, 2 NGUID, 3 UUID. */
    public int kind() {
        return u8(0);
    }

    /** Writes {@link #kind()}. */
    public NamespaceDescriptor kind(int value) {
        return u8(0, value);
    }

    /** NIDL. */
    public int lengthBytes() {
        return u8(1);
    }

    /** Writes {@link #lengthBytes()}. */
    public NamespaceDescriptor lengthBytes(int value) {
        return u8(1, value);
    }

    /** Zeroes the structure. */
    public NamespaceDescriptor clear() {
        return zero(LENGTH);
    }

    /** NIDT of an NGUID. */
    public static final int NGUID = 2;

    /** NIDT of a UUID. */
    public static final int UUID = 3;

    /** Writes the descriptor and its bytes. */
    public NamespaceDescriptor name(int kind, byte[] name) {
        return clear().kind(kind).lengthBytes(name.length).bytes(LENGTH, name);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        return out.append("kind=").append(kind()).append(" lengthBytes=").append(lengthBytes());
    }
}
