package io.verbena.tools.disk;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;

/**
 * Names of disks and subsystems that are the same after a restart, and differ from those of another machine: hosts recognise a disk by
 * them.
 */
public final class DiskIdentity {
    private static final int SERIAL_CHARACTERS = 20;

    private DiskIdentity() {}

    /** A name for the only subsystem of a disk. */
    public static String nqn(DiskSpec spec) {
        return "nqn.2026-01.io.verbena:" + clean(firstLine("/proc/sys/kernel/hostname", "localhost")) + ":"
                + clean(spec.name());
    }

    private static String clean(String text) {
        String clean = text.replaceAll("[^A-Za-z0-9.-]", "-");
        return clean.substring(0, Math.min(80, clean.length()));
    }

    static String serial(String nqn) {
        return unique("subsystem " + nqn).toString().replace("-", "").substring(0, SERIAL_CHARACTERS);
    }

    /** From the path of the file; a disk in memory has one from its place in the subsystem. */
    static UUID uuid(DiskSpec spec, String nqn, int namespaceId) throws IOException {
        return spec.inMemory()
                ? unique("memory " + nqn + ' ' + namespaceId)
                : unique("file " + spec.file().toRealPath());
    }

    private static UUID unique(String name) {
        String machine = firstLine("/etc/machine-id", firstLine("/proc/sys/kernel/hostname", ""));
        return UUID.nameUUIDFromBytes((machine + '\n' + name).getBytes(StandardCharsets.UTF_8));
    }

    private static String firstLine(String file, String otherwise) {
        try {
            String text = Files.readString(Path.of(file)).strip();
            return text.isEmpty() ? otherwise : text;
        } catch (IOException e) {
            return otherwise;
        }
    }
}
