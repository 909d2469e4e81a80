package io.verbena.tools.files;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.JsonObject;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Everything that a server offers. */
public final class ExportTable {

    /** Most files that one server offers. */
    static final int MOST = 10_000;

    private final Map<String, Export> byName = new LinkedHashMap<>();

    /**
     * Checks every file, and makes or grows those that have a size.
     *
     * @param reserve whether growth takes its blocks from the disk at once
     * @throws Failure when a file cannot be offered or a name is there twice
     */
    public ExportTable(List<ExportSpec> specs, boolean reserve) throws Failure {
        if (specs.size() > MOST) {
            throw new Failure("A server offers at most " + MOST + " files, not " + specs.size());
        }
        for (ExportSpec spec : specs) {
            if (byName.containsKey(spec.name())) {
                throw new Failure("Two exports are called '" + spec.name() + "'; give one another name with NAME=FILE");
            }
            byName.put(spec.name(), Export.of(spec, reserve));
        }
    }

    /** From here on clients read all files through a pool of page frames; before the first is served. */
    public void pageable(PagedExports pages) {
        byName.values().forEach(export -> export.pageable(pages));
    }

    Map<String, Export> byName() {
        return Collections.unmodifiableMap(byName);
    }

    /** A line for each offer, for people. */
    public List<String> lines() {
        return byName.values().stream()
                .map(export -> export.name() + "  "
                        + (export.writable()
                                ? "for writing up to " + Figures.bytes(export.capacity())
                                : Figures.bytes(export.capacity()) + ", read-only")
                        + "  " + export.file())
                .toList();
    }

    /** An object for each offer. */
    public List<JsonObject> json() {
        return byName.values().stream()
                .map(export -> new JsonObject()
                        .put("name", export.name())
                        .put("file", export.file().toString())
                        .put("writable", export.writable())
                        .put("bytes", export.capacity()))
                .toList();
    }
}
