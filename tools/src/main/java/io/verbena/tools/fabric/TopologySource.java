package io.verbena.tools.fabric;

import io.verbena.fabric.topology.NetDiscoverReader;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyException;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.files.FileServiceException;
import io.verbena.files.LocalName;
import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The topology that a command-line argument names: a specification, or a file with the text of ibnetdiscover. */
public final class TopologySource {

    private static final long MOST_BYTES = 64 << 20;

    private TopologySource() {}

    /**
     * Reads it.
     *
     * @throws TopologyException if the argument or the text is not valid
     * @throws Failure if the file cannot be read
     */
    public static Topology read(String argument) throws Failure {
        Path file;
        try {
            file = LocalName.path(argument);
        } catch (FileServiceException e) {
            throw new Failure(String.valueOf(e.getMessage()), e);
        }
        if (!Files.isRegularFile(file)) {
            if (argument.contains("/")) {
                throw new Failure("There is no file '" + argument + "'");
            }
            return TopologySpecification.parse(argument);
        }
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new Failure("The file '" + argument + "' is larger than 64 MiB");
            }
            // Names may be in any encoding; bytes that are not ASCII keep their place.
            return NetDiscoverReader.read(Files.readString(file, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new Failure("Cannot read '" + argument + "': " + e.getMessage(), e);
        }
    }
}
