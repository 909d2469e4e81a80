package io.verbena.messaging.launch;

import io.verbena.messaging.policy.EnlargementPolicy;
import io.verbena.messaging.start.JobStartException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/** A file in a folder that the launcher has made for the ranks of one job on one machine, and removes after them. */
record SharedFile(Path file) implements NoticeBoard {

    private static final int POLL_MS = 10;
    private static final int MAX_BYTES = 4096;

    /** The file of a job in the folder that its launcher names. */
    static SharedFile of(String folder, String job) throws JobStartException {
        if (!job.matches("[A-Za-z0-9._@-]{1,200}")) {
            throw new JobStartException("'" + JobVariables.printable(job) + "' is no name of a job.");
        }
        try {
            return new SharedFile(Path.of(folder, "verbena-" + job));
        } catch (InvalidPathException e) {
            throw new JobStartException("'" + JobVariables.printable(folder) + "' is no folder.");
        }
    }

    @Override
    public String share(Optional<String> text, Duration within) throws IOException {
        checkFolder();
        if (text.isPresent()) {
            publish(text.get());
            return text.get();
        }
        long deadlineNs = System.nanoTime() + EnlargementPolicy.bounded(within).toNanos();
        while (true) {
            try {
                if (Files.size(file) > MAX_BYTES) {
                    throw new JobStartException("The file " + file + " is not of this job: it is too long.");
                }
                return Files.readString(file, StandardCharsets.US_ASCII);
            } catch (NoSuchFileException e) {
                if (System.nanoTime() - deadlineNs > 0) {
                    throw new JobStartException(
                            "Rank 0 has not come: it did not write " + file + " within " + within.toSeconds() + " s.");
                }
            }
            pause();
        }
    }

    /** What other users could write would be no secret. */
    private void checkFolder() throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw new JobStartException(
                    "There is no folder " + folder + ", where the launcher keeps what is of this job.");
        }
        if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder);
            if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                    || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
                throw new JobStartException("Others can write to " + folder + ", where the ranks would meet.");
            }
        }
    }

    /** The file appears with all of its content, readable by its owner only. */
    private void publish(String text) throws IOException {
        Path unfinished = Files.createTempFile(file.toAbsolutePath().getParent(), "verbena", ".new");
        if (unfinished.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(unfinished, PosixFilePermissions.fromString("rw-------"));
        }
        Files.writeString(unfinished, text, StandardCharsets.US_ASCII, StandardOpenOption.TRUNCATE_EXISTING);
        try {
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(unfinished, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(POLL_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobStartException("The start was interrupted.");
        }
    }
}
