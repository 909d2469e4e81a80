package io.verbena.tools.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * How a disk is opened.
 *
 * @param spec where its blocks are
 * @param blockBytes bytes per block
 * @param readOnly whether hosts cannot write
 * @param faults as on the command line
 * @param record a new file for a record of all changes
 */
public record DiskPlan(DiskSpec spec, int blockBytes, boolean readOnly, List<String> faults, Optional<Path> record) {
    /** Copies the list. */
    public DiskPlan {
        faults = List.copyOf(faults);
    }

    /** Bytes at the end of the file that are less than a block, which hosts do not see; zero for a disk in memory. */
    long restBytes() throws IOException {
        return spec.inMemory() ? 0 : Files.size(spec.file()) % blockBytes;
    }

    /** Why hosts see less than the file. */
    String restText() throws IOException {
        return "The last " + restBytes() + " bytes of '" + spec.file() + "' are not served: a disk has whole blocks of "
                + blockBytes + " bytes.";
    }

    /** The same in any working directory. */
    public DiskPlan absolute() {
        return new DiskPlan(
                spec.absolute(),
                blockBytes,
                readOnly,
                faults,
                record.map(file -> file.toAbsolutePath().normalize()));
    }
}
