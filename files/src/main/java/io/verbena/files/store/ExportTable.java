package io.verbena.files.store;

import io.verbena.files.failure.FileServiceException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files that a server offers. */
public final class ExportTable {

    /** Maximum number of files that one server offers. */
    public static final int MOST = 10_000;

    private final Map<String, Export> byName = new LinkedHashMap<>();

    /**
     * Checks every file, and creates or extends those that have a size.
     *
     * @param reserve whether extending a file reserves its disk space
     * @throws FileServiceException if a file cannot be offered or two files have the same name
     */
    public ExportTable(List<ExportSpec> specs, boolean reserve) throws FileServiceException {
        if (specs.size() > MOST) {
            throw new FileServiceException("A server offers at most " + MOST + " files, not " + specs.size());
        }
        for (ExportSpec spec : specs) {
            if (byName.containsKey(spec.name())) {
                throw new FileServiceException(
                        "Two files on offer have the name '" + spec.name() + "'; rename one with NAME=FILE");
            }
            byName.put(spec.name(), Export.of(spec, reserve));
        }
    }

    /** Serves reads of all files through a pool of page frames. To be called before the server starts. */
    public void pageable(PagedExports pages) {
        byName.values().forEach(export -> export.pageable(pages));
    }

    /** Gives back the disk space that was reserved for stores and that no client has used. To be called after the server has ended. */
    public void release() throws IOException {
        for (Export export : byName.values()) {
            export.release();
        }
    }

    public Map<String, Export> byName() {
        return Collections.unmodifiableMap(byName);
    }

    /** What is offered, in the order of the specifications. */
    public List<Item> items() {
        return byName.values().stream()
                .map(export -> new Item(export.name(), export.file(), export.writable(), export.capacity()))
                .toList();
    }

    /**
     * One file on offer.
     *
     * @param bytes its length when the table was made, or if it is writable the most that it takes
     */
    public record Item(String name, Path file, boolean writable, long bytes) {}
}
