package io.verbena.fabric.ibsim;

import io.verbena.wire.Hex;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A request of a client to the simulator, or its answer. Integers have the byte order of the machine, because both run on it.
 *
 * <pre>
 *    byte  field
 *       0  magic, 0xdeadbeef
 *       4  client
 *       8  type
 *      12  length
 *      16  data, 64 bytes
 * </pre>
 *
 * <p>A flyweight: {@link #wrap} points it at memory without a copy. Check {@link #fits} before use.
 * Source: include/ibsim.h of ibsim 0.10.
 */
public final class ControlMessage {
    /** Length in bytes. */
    public static final int LENGTH = 80;
    /** Offset of the data. */
    public static final int DATA = 16;
    /** Length of the data. */
    public static final int DATA_LENGTH = 64;
    /** The first word. */
    public static final int MAGIC = 0xdeadbeef;

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int NAME = 28;
    private static final int NAME_LENGTH = 32;

    /** The types, in the order of their numbers. */
    public enum Type {
        ERROR,
        CONNECT,
        DISCONNECT,
        GET_PORT,
        GET_VENDOR,
        GET_GID,
        GET_GUID,
        GET_NODE_INFO,
        GET_PORT_INFO,
        SET_IS_SM,
        GET_P_KEYS
    }

    private static final Type[] TYPES = Type.values();

    private MemorySegment segment = MemorySegment.NULL;
    private long offset;

    /** Whether {@code available} bytes contain the message. */
    public static boolean fits(long available) {
        return available >= LENGTH;
    }

    /** Points this flyweight at the message that starts at {@code offset}. */
    public ControlMessage wrap(MemorySegment at, long start) {
        segment = at;
        offset = start;
        return this;
    }

    /** The first word: {@link #MAGIC}. */
    public int magic() {
        return word(0);
    }

    /** The number that the client received when it connected. */
    public int client() {
        return word(4);
    }

    /** The type; empty if there is none with this number. */
    public Optional<Type> type() {
        int number = word(8);
        return number >= 0 && number < TYPES.length ? Optional.of(TYPES[number]) : Optional.empty();
    }

    /** Writes the header. */
    public ControlMessage header(int client, Type type, int length) {
        word(0, MAGIC);
        word(4, client);
        word(8, type.ordinal());
        word(12, length);
        return this;
    }

    /** Writes the type. */
    public ControlMessage type(Type type) {
        word(8, type.ordinal());
        return this;
    }

    /** A 32-bit word of the data. CONNECT: 0 is the UDP port of the client or its number, 2 whether it is a subnet manager. */
    public int data(int index) {
        return word(DATA + 4 * index);
    }

    /** Writes a word of the data. */
    public ControlMessage data(int index, int value) {
        word(DATA + 4 * index, value);
        return this;
    }

    /** CONNECT: the name of the node to attach to; empty for any. */
    public String nodeName() {
        byte[] bytes = new byte[NAME_LENGTH];
        int length = 0;
        while (length < NAME_LENGTH - 1 && segment.get(ValueLayout.JAVA_BYTE, offset + NAME + length) != 0) {
            bytes[length] = segment.get(ValueLayout.JAVA_BYTE, offset + NAME + length);
            length++;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    /** Writes the name; what exceeds 31 bytes is cut off. */
    public ControlMessage nodeName(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < NAME_LENGTH; i++) {
            boolean inside = i < bytes.length && i < NAME_LENGTH - 1;
            segment.set(ValueLayout.JAVA_BYTE, offset + NAME + i, inside ? bytes[i] : 0);
        }
        return this;
    }

    private int word(long at) {
        return segment.get(INT, offset + at);
    }

    private void word(long at, int value) {
        segment.set(INT, offset + at, value);
    }

    /** Appends one line. */
    public StringBuilder describe(StringBuilder out) {
        out.append("ibsim ").append(type().map(Type::name).orElse("type " + word(8)));
        Hex.append(out.append(" client=0x"), client(), 8);
        return out;
    }
}
