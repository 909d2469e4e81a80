package mpi;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values that a program attaches to a communicator, a type or a window under a key. */
final class Attributes {

    /** The first key of a program; smaller ones are predefined. */
    private static final int FIRST = 16;

    private static final BitSet KEYS = new BitSet();
    private static int next = FIRST; // never used again: values under a freed key stay where they are

    private final Map<Integer, Object> values = new HashMap<>();

    /** A new key. */
    static synchronized int create() {
        int key = next++;
        KEYS.set(key);
        return key;
    }

    /** Frees a key. Values under it stay attached, but cannot be reached any more. */
    static synchronized void free(int key) throws MPIException {
        check(key);
        KEYS.clear(key);
    }

    private static synchronized void check(int key) throws MPIException {
        if (key < 0 || !KEYS.get(key)) {
            throw new MPIException(MPI.ERR_KEYVAL, key + " is no key: it was not created, or has been freed");
        }
    }

    void set(int key, Object value) throws MPIException {
        check(key);
        values.put(key, value);
    }

    @Nullable
    Object get(int key) throws MPIException {
        check(key);
        return values.get(key);
    }

    void delete(int key) throws MPIException {
        check(key);
        values.remove(key);
    }

    /** Attaches the values of another object. */
    void copy(Attributes other) {
        values.putAll(other.values);
    }
}
