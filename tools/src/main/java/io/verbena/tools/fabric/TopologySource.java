package io.verbena.tools.fabric;

import io.verbena.fabric.topology.NetDiscoverReader;
import io.verbena.fabric.topology.Topology;
import io.verbena.fabric.topology.TopologyException;
import io.verbena.fabric.topology.TopologySpecification;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.store.LocalName;
import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/** The topology that a command-line argument names: a specification, or a file with the text of ibnetdiscover. */
public final class TopologySource {

    private static final long MOST_BYTES = 64 << 20;

    private TopologySource() {}

    /**
     * Reads it.
     *
     * @param warnings receives sentences about what the text does not state and was assumed
     * @throws TopologyException if the argument or the text is not valid
     * @throws Failure if the file cannot be read
     */
    public static Topology read(String argument, Consumer<String> warnings) throws Failure {
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
            return NetDiscoverReader.read(text(file), name -> included(file, name), warnings);
        } catch (IOException e) {
            throw new Failure("Cannot read '" + argument + "': " + e.getMessage(), e);
        }
    }

    /** Names may be in any encoding: UTF-8, else bytes keep their place. A byte order mark of UTF-16 is respected. */
    private static String text(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        if (bytes.length >= 2 && ((bytes[0] & 0xff) << 8 | bytes[1] & 0xff) >= 0xfeff && bytes[0] != bytes[1]) {
            return new String(bytes, StandardCharsets.UTF_16);
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException _) {
            return new String(bytes, StandardCharsets.ISO_8859_1);
        }
    }

    /** A file that another one includes: its name is relative to the directory of that file. */
    private static Optional<String> included(Path by, String name) {
        try {
            Path file = by.resolveSibling(name);
            return Files.isRegularFile(file) && Files.size(file) <= MOST_BYTES
                    ? Optional.of(text(file))
                    : Optional.empty();
        } catch (IOException | InvalidPathException _) {
            return Optional.empty();
        }
    }
}
