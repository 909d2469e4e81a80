package io.verbena.files.store;

import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;

import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.IoReasons;
import io.verbena.files.protocol.FileAttributes;
import io.verbena.files.protocol.FileMessage;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One file on offer. Any number of clients read it, or one client writes it; that client may use several connections, which
 * present the same client number. Error messages contain the name of the export and never its path, because they are sent
 * to peers.
 */
public final class Export {

    /** A disk with less free space than this counts as full. */
    private static final long FULL_BYTES = 1 << 20;

    private final String name;
    private final Path file;
    private final boolean writable;
    private final long capacity;
    private final boolean reserve;
    private final Growth growth;

    /** The pool through which clients read the file, if it is not mapped as a whole. */
    private volatile Optional<PagedExports> pages = Optional.empty();

    private final Stores stores = new Stores();

    /** Why a client lost the memory of the file, for the next time that it opens the file. */
    private volatile Optional<Loss> loss = Optional.empty();

    private record Loss(long client, String reason) {}

    /** That the server extended the file, and that no client has opened it for a store since. */
    private volatile Optional<Grown> grown = Optional.empty();

    private record Grown(long before, FileTime modified) {}

    private Export(ExportSpec spec, long capacity, boolean reserve) {
        this.name = spec.name();
        this.file = spec.file();
        this.writable = spec.writable();
        this.capacity = capacity;
        this.reserve = reserve;
        this.growth = new Growth(capacity, System.nanoTime());
    }

    /**
     * Checks the file. Creates or extends a file that has a capacity.
     *
     * @param reserve whether extending a file reserves its disk space, by writing zeros
     */
    public static Export of(ExportSpec spec, boolean reserve) throws FileServiceException {
        Path file = spec.file();
        String shown = "'" + file + "'";
        if (Files.isDirectory(file)) {
            throw new FileServiceException(shown + " is a folder and cannot be offered; name a file in it");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new FileServiceException(shown + " is not a regular file and cannot be offered; copy it to one");
        }
        if (!Files.exists(file) && spec.capacity().isEmpty()) {
            throw new FileServiceException("There is no file " + shown
                    + (spec.writable() ? "; FILE:rw:SIZE creates one that takes SIZE bytes" : ""));
        }
        try {
            long before = Files.exists(file) ? Files.size(file) : 0;
            if (spec.capacity().isPresent()) {
                grow(file, spec.capacity().getAsLong(), reserve);
            }
            try (FileChannel channel = open(file, spec.writable())) {
                Export export = new Export(spec, spec.capacity().orElse(channel.size()), reserve);
                if (channel.size() > before) {
                    export.grown = Optional.of(new Grown(before, Files.getLastModifiedTime(file)));
                }
                return export;
            }
        } catch (IOException e) {
            throw new FileServiceException("The file " + shown + " cannot be offered: " + IoReasons.of(e), e);
        }
    }

    private static FileChannel open(Path file, boolean writable) throws IOException {
        return writable
                ? FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(file, StandardOpenOption.READ);
    }

    /** Extends a file. If the disk is full the file keeps its length. */
    private static void grow(Path file, long size, boolean reserve) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            long before = channel.size();
            try {
                if (reserve) {
                    DiskSpace.reserve(file, channel, before, size);
                } else {
                    Zeros.append(channel, Math.max(before, size - 1), size, 1);
                }
            } catch (IOException e) {
                channel.truncate(before);
                throw new IOException(
                        "the disk has not enough space for " + size + " bytes (" + IoReasons.of(e) + ")", e);
            }
        }
    }

    public String name() {
        return name;
    }

    Path file() {
        return file;
    }

    boolean writable() {
        return writable;
    }

    /** Maximum length of a store; for a read-only file, its length when the server started. */
    long capacity() {
        return capacity;
    }

    /** Its entry in the list of files. */
    public FileMessage.Entry entry() {
        try {
            return new FileMessage.Entry(Files.size(file), writable, name);
        } catch (IOException e) {
            return new FileMessage.Entry(-1, writable, name);
        }
    }

    /** The current attributes of the file. */
    public FileAttributes attributes() throws FileServiceException {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            Object key = found.fileKey() == null ? found.creationTime() : found.fileKey();
            return new FileAttributes(
                    found.size(),
                    found.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                    key.toString().hashCode(),
                    writable);
        } catch (NoSuchFileException e) {
            throw new FileServiceException("The file '" + name + "' was deleted at the server", e);
        } catch (IOException e) {
            throw new FileServiceException(
                    "The file '" + name + "' cannot be accessed at the server: " + IoReasons.of(e), e);
        }
    }

    /** Serves later reads through a pool of page frames. */
    void pageable(PagedExports through) {
        pages = Optional.of(through);
    }

    /**
     * Registers the file in the protection domain of one connection, either for remote reads or for remote writes.
     *
     * @throws FileServiceException if the client cannot open the file now; the message is sent to it
     */
    public OpenFile open(ProtectionDomain pd, FileMessage.Open question) throws FileServiceException {
        check(question);
        if (!stores.begin(question)) {
            throw new FileServiceException(
                    "The file '" + name + "' is being written by another client; try again when that store has ended");
        }
        try {
            if (!question.writing()) {
                return openForReading(pd, question);
            }
            OpenFile store = openForWriting(pd, question);
            stores.add(store);
            return store;
        } catch (IOException e) {
            String reason = IoReasons.of(e).replace(file.toString(), name);
            throw new FileServiceException("The file '" + name + "' cannot be opened at the server: " + reason, e);
        } finally {
            stores.opened(question);
        }
    }

    private void check(FileMessage.Open question) throws FileServiceException {
        Optional<Loss> lost = loss.filter(found -> found.client() == question.client());
        if (lost.isPresent()) {
            throw new FileServiceException(lost.get().reason());
        }
        if (question.writing() && !writable) {
            throw new FileServiceException(
                    "The file '" + name + "' is offered read-only; the server can offer it for writing with :rw");
        }
        if (question.length() > capacity && question.writing()) {
            throw new FileServiceException("The file '" + name + "' takes at most " + capacity
                    + " bytes, and the store has " + question.length()
                    + " bytes; the server can accept more with FILE:rw:SIZE");
        }
    }

    private OpenFile openForReading(ProtectionDomain pd, FileMessage.Open question)
            throws IOException, FileServiceException {
        Optional<Holes> holes = Holes.of(file);
        try {
            return openForReading(pd, question, holes);
        } catch (IOException | RuntimeException | Error e) {
            holes.ifPresent(Holes::close);
            throw e;
        }
    }

    private OpenFile openForReading(ProtectionDomain pd, FileMessage.Open question, Optional<Holes> holes)
            throws IOException {
        Path same = holes.map(Holes::file).orElse(file);
        FileChannel channel = open(same, false);
        try {
            long size = channel.size();
            Optional<MemoryRegion> region = size == 0 ? Optional.empty() : Optional.of(readable(pd, same, size));
            return new OpenFile(this, question, channel, holes, size, region);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private MemoryRegion readable(ProtectionDomain pd, Path same, long size) throws IOException {
        return pages.isPresent() ? pages.get().register(pd, name, same, size) : pd.map(same, 0, size, REMOTE_READ);
    }

    private OpenFile openForWriting(ProtectionDomain pd, FileMessage.Open question)
            throws IOException, FileServiceException {
        long length = question.length();
        grown = Optional.empty();
        prepare(length);
        FileChannel channel = open(file, true);
        try {
            Optional<MemoryRegion> region =
                    length == 0 ? Optional.empty() : Optional.of(pd.map(file, 0, length, REMOTE_WRITE));
            return new OpenFile(this, question, channel, Optional.empty(), length, region);
        } catch (IOException | RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    /** Synchronized because several connections of one client open the file at the same time. */
    private synchronized void prepare(long length) throws IOException, FileServiceException {
        long missing = length - Files.size(file);
        if (missing > 0) {
            long waitSeconds = growth.take(reserve ? missing : 0, System.nanoTime());
            if (waitSeconds > 0) {
                throw new FileServiceException("The file '" + name
                        + "' was truncated and extended too often; try again in " + waitSeconds + " s");
            }
            grow(file, length, reserve);
        }
        touch();
    }

    /** A store into mapped memory need not change the modification time at once, and clients that read detect a change by it. */
    private void touch() throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    /**
     * Commits a store and ends it on all connections of its client: none of them can write any more, and another client can
     * open the file.
     */
    void commit(OpenFile open, boolean toDisk) throws IOException {
        stores.endAllBut(open).forEach(store -> store.region().ifPresent(MemoryRegion::close));
        open.channel().truncate(open.length());
        touch();
        if (toDisk) {
            open.channel().force(true);
        }
        stores.remove(open);
    }

    /** Returns the space that the server reserved if no client has used it; a program that changed the file meanwhile keeps it. */
    void release() throws IOException {
        if (grown.isPresent()
                && Files.getLastModifiedTime(file).equals(grown.get().modified())) {
            try (FileChannel channel = open(file, true)) {
                channel.truncate(grown.get().before());
            }
        }
    }

    /** Whether a commit ended the store for which the file was opened. */
    boolean committed(OpenFile open) {
        return open.question().writing() && !stores.contains(open);
    }

    /** A connection closed the file. If its memory was lost, the same client receives the reason when it opens the file again. */
    void closed(OpenFile open, boolean lost) {
        stores.remove(open);
        pages.ifPresent(paged -> open.region().ifPresent(paged::closed));
        if (lost) {
            loss = Optional.of(new Loss(open.question().client(), whyLost(open)));
        }
    }

    private String whyLost(OpenFile open) {
        try {
            long size = open.channel().size();
            if (size < open.length()) {
                return shorter(open.length(), size);
            }
            if (open.question().writing() && Files.getFileStore(file).getUsableSpace() < FULL_BYTES) {
                return "The disk of the server is full, so the file '" + name + "' cannot be written";
            }
        } catch (IOException e) {
            return "The file '" + name + "' cannot be accessed any more at the server: " + IoReasons.of(e);
        }
        return "The file '" + name
                + "' could not be accessed at the server: its disk failed or the file became shorter";
    }

    /** The message for a client whose file was truncated. */
    String shorter(long before, long now) {
        return "The file '" + name + "' became shorter at the server: it had " + before + " bytes and now has " + now;
    }
}
