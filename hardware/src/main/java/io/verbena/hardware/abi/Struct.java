package io.verbena.hardware.abi;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A structure of C by its size and the offsets of its members. The classes that describe one take their constants from it, so that a
 * test can compare every constant with what a C compiler says.
 */
public final class Struct {

    private final String name;
    private final int sizeBytes;
    private final Map<String, Integer> members = new LinkedHashMap<>();

    public Struct(String name, int sizeBytes) {
        this.name = name;
        this.sizeBytes = sizeBytes;
    }

    /** Declares a member, as C names it, and returns its offset. */
    public int at(String member, int offset) {
        if (offset < 0 || offset >= sizeBytes) {
            throw new IllegalArgumentException(name + "." + member + " at " + offset + " is outside of the structure");
        }
        members.put(member, offset);
        return offset;
    }

    /** Name of the structure in C, without {@code struct}. */
    public String name() {
        return name;
    }

    public int sizeBytes() {
        return sizeBytes;
    }

    /** Offsets by the name of the member in C. */
    public Map<String, Integer> members() {
        return Collections.unmodifiableMap(members);
    }

    @Override
    public String toString() {
        return "struct " + name + " of " + sizeBytes + " bytes";
    }
}
