package io.verbena.tools.disk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.Optional;

/**
 * The names of a disk in an extended attribute of its file, where the file system has them. The attribute moves with the file and is not
 * copied by {@code cp}, so that a copy is another disk.
 *
 * @param file the file of the disk
 */
record KeptIdentity(Path file) {
    /** After {@code user.}. */
    static final String NAME = "verbena.disk";

    private Optional<UserDefinedFileAttributeView> view() {
        return Optional.ofNullable(Files.getFileAttributeView(file, UserDefinedFileAttributeView.class));
    }

    /** Empty if the file has none, or does not exist yet. */
    Optional<String> read() {
        try {
            Optional<UserDefinedFileAttributeView> view = view();
            if (view.isEmpty() || !view.get().list().contains(NAME)) {
                return Optional.empty();
            }
            ByteBuffer bytes = ByteBuffer.allocate(view.get().size(NAME));
            view.get().read(NAME, bytes);
            return Optional.of(StandardCharsets.UTF_8.decode(bytes.flip()).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Returns whether the attribute was written: not every file system has attributes, and not every file is writable. */
    boolean keep(String line) {
        try {
            Optional<UserDefinedFileAttributeView> view = view();
            if (view.isPresent()) {
                view.get().write(NAME, StandardCharsets.UTF_8.encode(line));
            }
            return view.isPresent();
        } catch (IOException e) {
            return false;
        }
    }
}
