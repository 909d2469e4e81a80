package io.verbena.tools.disk;

import io.verbena.tools.base.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The names by which hosts recognise a disk. They belong to the medium: they are drawn at random when a file is first served, and kept in
 * {@code FILE.identity} beside it, so that they are the same after a restart, in every container, and on another machine. They are also kept
 * in an attribute of the file, because a container may have the file alone.
 *
 * @param nqn a name for a subsystem of this disk
 * @param uuid the name of the disk
 */
public record DiskIdentity(String nqn, UUID uuid) {
    static final String SUFFIX = ".identity";
    private static final int SERIAL_CHARACTERS = 20;
    private static final int MOST_CHARACTERS = 80;
    private static final int SHORT_CHARACTERS = 8;
    private static final int HASHED_BYTES = 1 << 20;
    private static final String NQN = "nqn";
    private static final String UUID_WORD = "uuid";

    /** That of a disk, which is drawn and kept if there is none yet. */
    static DiskIdentity of(DiskSpec spec) throws IOException, Failure {
        if (spec.inMemory()) {
            return new DiskIdentity(firstNqn(spec, unique("memory")), unique("memory"));
        }
        Path file = Files.exists(spec.file())
                ? spec.file().toRealPath()
                : spec.absolute().file();
        Path kept = file.resolveSibling(file.getFileName() + SUFFIX);
        KeptIdentity attribute = new KeptIdentity(file);
        if (Files.exists(kept)) {
            DiskIdentity identity = parse(Files.readString(kept), "file '" + kept + "'");
            attribute.keep(identity.line());
            return identity;
        }
        Optional<String> inFile = attribute.read();
        if (inFile.isPresent()) {
            return parse(inFile.get(), "attribute user." + KeptIdentity.NAME + " of the file '" + file + "'");
        }
        return drawn(spec, file, kept, attribute);
    }

    private static DiskIdentity drawn(DiskSpec spec, Path file, Path kept, KeptIdentity attribute)
            throws IOException, Failure {
        UUID drawn = UUID.randomUUID();
        DiskIdentity identity = new DiskIdentity(firstNqn(spec, drawn), drawn);
        try {
            Files.writeString(kept, identity.line(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            attribute.keep(identity.line());
            return identity;
        } catch (FileAlreadyExistsException e) {
            return parse(Files.readString(kept), "file '" + kept + "'"); // another server was faster
        } catch (AccessDeniedException e) {
            return attribute.keep(identity.line()) ? identity : derived(spec, file);
        } catch (FileSystemException e) {
            if (Files.exists(file) && !Files.isWritable(file.resolveSibling("."))) {
                // A read-only file system, or a folder that is.
                return attribute.keep(identity.line()) ? identity : derived(spec, file);
            }
            throw e;
        }
    }

    private static DiskIdentity parse(String line, String place) throws Failure {
        Map<String, String> words = Words.parse(line.strip());
        try {
            return new DiskIdentity(
                    DiskRequestText.word(words, NQN), UUID.fromString(DiskRequestText.word(words, UUID_WORD)));
        } catch (IllegalArgumentException e) {
            throw new Failure("The " + place + " does not contain the names of a disk: restore it, or delete it"
                    + " to give the disk new names, which hosts take for another disk");
        }
    }

    private String line() {
        Map<String, String> words = new LinkedHashMap<>();
        words.put(NQN, nqn);
        words.put(UUID_WORD, uuid.toString());
        return Words.line(words) + '\n';
    }

    /** Nothing can be kept beside the file: the names are derived from the machine, or else from the contents, and the path. */
    private static DiskIdentity derived(DiskSpec spec, Path file) throws IOException {
        String machine = firstLine("/etc/machine-id", "");
        UUID uuid = UUID.nameUUIDFromBytes(
                ((machine.isEmpty() ? contents(file) : machine) + "\nfile " + file).getBytes(StandardCharsets.UTF_8));
        // Without the name of the host, which is another one in each container.
        return new DiskIdentity("nqn.2026-01.io.verbena:" + clean(spec.name()) + '-' + brief(uuid), uuid);
    }

    private static String contents(Path file) throws IOException {
        ByteBuffer begin = ByteBuffer.allocate(HASHED_BYTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            while (begin.hasRemaining() && channel.read(begin) >= 0) {
                continue; // until the buffer is full or the file ends
            }
            byte[] bytes = new byte[begin.flip().remaining()];
            begin.get(bytes);
            return UUID.nameUUIDFromBytes(bytes) + " " + channel.size();
        }
    }

    /** A name that cannot be part of an NQN as it is gets a part of the UUID, so that two such names differ. */
    private static String firstNqn(DiskSpec spec, UUID uuid) {
        String name = clean(spec.name());
        String host = clean(firstLine("/proc/sys/kernel/hostname", "localhost"));
        return "nqn.2026-01.io.verbena:" + host + ":" + name + (name.equals(spec.name()) ? "" : '-' + brief(uuid));
    }

    private static String brief(UUID uuid) {
        return uuid.toString().substring(0, SHORT_CHARACTERS);
    }

    private static String clean(String text) {
        String clean = text.replaceAll("[^A-Za-z0-9._-]", "-");
        return clean.substring(0, Math.min(MOST_CHARACTERS, clean.length()));
    }

    /** The name of a subsystem for this disk alone, if {@code base} is the name of all. */
    String nqnBelow(String base, DiskSpec spec) {
        String name = clean(spec.name());
        return base + ':' + name + (name.equals(spec.name()) ? "" : '-' + brief(uuid));
    }

    /** The same with a name that differs from that of a disk whose file has the same name. */
    String distinct(String taken) {
        return taken + '-' + brief(uuid);
    }

    /** Keeps another name for the subsystem, so that it remains when the other disk is not served. */
    void keep(String newNqn, DiskSpec spec) throws IOException {
        if (!spec.inMemory()) {
            Path file = Files.exists(spec.file())
                    ? spec.file().toRealPath()
                    : spec.absolute().file();
            Path kept = file.resolveSibling(file.getFileName() + SUFFIX);
            String line = new DiskIdentity(newNqn, uuid).line();
            if (Files.isWritable(kept)) {
                Files.writeString(kept, line);
            }
            new KeptIdentity(file).keep(line);
        }
    }

    /** The serial number of a subsystem whose first disk this is. */
    String serial() {
        return UUID.nameUUIDFromBytes(("subsystem " + uuid).getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "")
                .substring(0, SERIAL_CHARACTERS);
    }

    /** The UUID in a subsystem: a disk in memory has one from its place there. */
    UUID uuid(DiskSpec spec, String subsystem, int namespaceId) {
        return spec.inMemory() ? unique("memory " + subsystem + ' ' + namespaceId) : uuid;
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
