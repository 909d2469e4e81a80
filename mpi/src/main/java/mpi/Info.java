package mpi;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Hints (MPI_Info); they have no effect here. */
public final class Info {

    private final Map<String, String> entries = new LinkedHashMap<>();

    public void set(String key, String value) {
        entries.put(key, value);
    }

    public @Nullable String get(String key) {
        return entries.get(key);
    }

    public void delete(String key) {
        entries.remove(key);
    }

    public int size() {
        return entries.size();
    }

    public String getKey(int i) {
        return entries.keySet().stream().skip(i).findFirst().orElse("");
    }

    public void free() {}

    public boolean isNull() {
        return false;
    }
}
