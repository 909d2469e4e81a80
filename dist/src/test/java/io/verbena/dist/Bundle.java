package io.verbena.dist;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The files of a bundle in memory, by their paths in the layout of a repository: {@code io/verbena/ARTIFACT/VERSION/ARTIFACT-VERSION….EXT}.
 *
 * @param files the bytes of each
 */
record Bundle(Map<String, byte[]> files) {

    static Bundle read(Path zip) throws IOException {
        Map<String, byte[]> files = new TreeMap<>();
        try (ZipFile file = new ZipFile(zip.toFile())) {
            Enumeration<? extends ZipEntry> entries = file.entries();
            for (ZipEntry entry : Collections.list(entries)) {
                if (!entry.isDirectory()) {
                    try (InputStream in = file.getInputStream(entry)) {
                        files.put(entry.getName(), in.readAllBytes());
                    }
                }
            }
        }
        return new Bundle(files);
    }

    /** The same with one file changed or added; without it if there are no bytes. */
    Bundle with(String path, byte[] bytes) {
        Map<String, byte[]> changed = new TreeMap<>(files);
        if (bytes.length == 0) {
            changed.remove(path);
        } else {
            changed.put(path, bytes);
        }
        return new Bundle(changed);
    }

    /** The publications in it, one per POM. */
    Set<Publication> publications() {
        Set<Publication> found = new TreeSet<>();
        for (String path : files.keySet()) {
            if (path.endsWith(".pom")) {
                found.add(new Publication(this, path.substring(0, path.length() - ".pom".length())));
            }
        }
        return found;
    }

    byte[] bytes(String path) {
        return files.getOrDefault(path, new byte[0]);
    }

    boolean has(String path) {
        return files.containsKey(path);
    }
}
