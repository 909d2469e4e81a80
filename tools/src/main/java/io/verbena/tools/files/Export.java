package io.verbena.tools.files;

import static io.verbena.verbs.AccessRight.REMOTE_READ;
import static io.verbena.verbs.AccessRight.REMOTE_WRITE;

import io.verbena.tools.base.Failure;
import io.verbena.tools.text.Figures;
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
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * One file on offer. Any number of clients read it, or one client writes it; that client may use several connections, which
 * name the same number. Sentences name the export, never its path: they go to peers.
 */
final class Export {

    private static final int RESERVE_PIECE_BYTES = 1 << 20;

    /** A disk with less room than this is called full. */
    private static final long FULL_BYTES = 1 << 20;

    private final String name;
    private final Path file;
    private final boolean writable;
    private final long capacity;
    private final boolean reserve;
    private final Growth growth;

    /** Where clients read it, if it is not mapped as a whole. */
    private volatile Optional<PagedExports> pages = Optional.empty();

    // Guarded by this.
    private final Set<OpenFile> stores = Collections.newSetFromMap(new IdentityHashMap<>());
    private int opening;
    private long writer;
    private long troubled;
    private String trouble = "";

    private Export(ExportSpec spec, long capacity, boolean reserve) {
        this.name = spec.name();
        this.file = spec.file();
        this.writable = spec.writable();
        this.capacity = capacity;
        this.reserve = reserve;
        this.growth = new Growth(capacity, System.nanoTime());
    }

    /**
     * Checks the file, and makes or grows one that has a capacity.
     *
     * @param reserve whether growth takes its blocks from the disk at once, by writing zeros
     */
    static Export of(ExportSpec spec, boolean reserve) throws Failure {
        Path file = spec.file();
        String shown = "'" + file + "'";
        if (Files.isDirectory(file)) {
            throw new Failure(shown + " is a folder; name a file in it");
        }
        if (Files.exists(file) && !Files.isRegularFile(file)) {
            throw new Failure(shown + " is not a regular file, so it cannot be offered; copy it to one");
        }
        if (!Files.exists(file) && spec.capacity().isEmpty()) {
            throw new Failure("There is no file " + shown
                    + (spec.writable() ? "; FILE:rw:SIZE makes one that takes SIZE bytes" : ""));
        }
        try {
            if (spec.capacity().isPresent()) {
                grow(file, spec.capacity().getAsLong(), reserve);
            }
            try (FileChannel channel = open(file, spec.writable())) {
                return new Export(spec, spec.capacity().orElse(channel.size()), reserve);
            }
        } catch (IOException e) {
            throw new Failure("The file " + shown + " cannot be offered: " + IoReasons.of(e), e);
        }
    }

    private static FileChannel open(Path file, boolean writable) throws IOException {
        return writable
                ? FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)
                : FileChannel.open(file, StandardOpenOption.READ);
    }

    /** Makes a file longer. What a full disk does not take is taken back. */
    private static void grow(Path file, long size, boolean reserve) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            long before = channel.size();
            try {
                Zeros.append(channel, reserve ? before : Math.max(before, size - 1), size, RESERVE_PIECE_BYTES);
            } catch (IOException e) {
                channel.truncate(before);
                throw new IOException("there is no room for " + Figures.bytes(size) + " (" + IoReasons.of(e) + ")", e);
            }
        }
    }

    String name() {
        return name;
    }

    Path file() {
        return file;
    }

    boolean writable() {
        return writable;
    }

    /** Most bytes that a store may bring; for a file that is only read, its length at the start. */
    long capacity() {
        return capacity;
    }

    /** Its entry in a list. */
    FileMessage.Entry entry() {
        try {
            return new FileMessage.Entry(Files.size(file), writable, name);
        } catch (IOException e) {
            return new FileMessage.Entry(-1, writable, name);
        }
    }

    /** How the file is now. */
    FileAttributes attributes() throws Failure {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            Object key = found.fileKey() == null ? found.creationTime() : found.fileKey();
            return new FileAttributes(
                    found.size(),
                    found.lastModifiedTime().to(TimeUnit.NANOSECONDS),
                    key.toString().hashCode(),
                    writable);
        } catch (NoSuchFileException e) {
            throw new Failure("The file '" + name + "' was deleted at the server", e);
        } catch (IOException e) {
            throw new Failure("The file '" + name + "' cannot be reached at the server: " + IoReasons.of(e), e);
        }
    }

    /** From here on it is read through a pool of page frames. */
    void pageable(PagedExports through) {
        pages = Optional.of(through);
    }

    /**
     * Registers the file in the protection domain of one connection, with the one right that the client needs.
     *
     * @throws Failure when this client cannot have it now, with a sentence for it
     */
    OpenFile open(ProtectionDomain pd, FileMessage.Open question) throws Failure {
        enter(question);
        try {
            if (!question.writing()) {
                return openForReading(pd, question);
            }
            OpenFile store = openForWriting(pd, question);
            synchronized (this) {
                stores.add(store);
            }
            return store;
        } catch (IOException e) {
            String reason = IoReasons.of(e).replace(file.toString(), name);
            throw new Failure("The file '" + name + "' cannot be opened at the server: " + reason, e);
        } finally {
            entered(question);
        }
    }

    private synchronized void enter(FileMessage.Open question) throws Failure {
        if (troubled == question.client() && !trouble.isEmpty()) {
            throw new Failure(trouble);
        }
        if (question.writing() && !writable) {
            throw new Failure("The file '" + name + "' is offered read-only; its server can offer it with :rw");
        }
        if (question.length() > capacity && question.writing()) {
            throw new Failure("The file '" + name + "' takes " + Figures.bytes(capacity) + " (" + capacity
                    + " bytes), which is too small for " + question.length() + " bytes; FILE:rw:SIZE offers more");
        }
        if ((opening > 0 || !stores.isEmpty()) && writer != question.client()) {
            throw new Failure("The file '" + name + "' is being written by another client; try again when it is done");
        }
        if (question.writing()) {
            opening++;
            writer = question.client();
        }
    }

    private synchronized void entered(FileMessage.Open question) {
        if (question.writing()) {
            opening--;
        }
    }

    private OpenFile openForReading(ProtectionDomain pd, FileMessage.Open question) throws IOException, Failure {
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

    private OpenFile openForWriting(ProtectionDomain pd, FileMessage.Open question) throws IOException, Failure {
        long length = question.length();
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

    /** One at a time: several connections of one client open the file at once. */
    private synchronized void prepare(long length) throws IOException, Failure {
        long missing = length - Files.size(file);
        if (missing > 0) {
            long waitSeconds = growth.take(reserve ? missing : 0, System.nanoTime());
            if (waitSeconds > 0) {
                throw new Failure("The file '" + name + "' was made shorter and longer too often; try again in "
                        + waitSeconds + " s");
            }
            grow(file, length, reserve);
        }
        touch();
    }

    /** Stores into mapped memory need not change the time at once; clients that read shall see that it is another file now. */
    private void touch() throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now()));
    }

    /**
     * Ends a store on all connections of its client: none of them can write any more, and another client can open the file.
     */
    void commit(OpenFile open, boolean toDisk) throws IOException {
        List<OpenFile> ended;
        synchronized (this) {
            ended = List.copyOf(stores);
            stores.removeIf(store -> store != open);
        }
        ended.forEach(store -> store.region().ifPresent(MemoryRegion::close));
        open.channel().truncate(open.length());
        touch();
        if (toDisk) {
            open.channel().force(true);
        }
        synchronized (this) {
            stores.remove(open);
        }
    }

    /** Whether a file that was opened for writing is no longer open, because a commit ended its store. */
    synchronized boolean committed(OpenFile open) {
        return open.question().writing() && !stores.contains(open);
    }

    /** The connection is done with it. If the memory was lost, the same client hears why when it comes back. */
    void closed(OpenFile open, boolean lost) {
        synchronized (this) {
            stores.remove(open);
        }
        pages.ifPresent(paged -> open.region().ifPresent(paged::closed));
        if (lost) {
            String why = whyLost(open);
            synchronized (this) {
                troubled = open.question().client();
                trouble = why;
            }
        }
    }

    private String whyLost(OpenFile open) {
        try {
            long size = open.channel().size();
            if (size < open.length()) {
                return shorter(open.length(), size);
            }
            if (open.question().writing() && Files.getFileStore(file).getUsableSpace() < FULL_BYTES) {
                return "The disk is full at the server, so the file '" + name + "' cannot be written";
            }
        } catch (IOException e) {
            return "The file '" + name + "' cannot be reached any more at the server: " + IoReasons.of(e);
        }
        return "The file '" + name + "' could not be reached at the server: its disk failed or it became shorter";
    }

    /** What a client is told about a file that lost its end. */
    String shorter(long before, long now) {
        return "The file '" + name + "' became shorter at the server: it had " + before + " bytes and now has " + now;
    }
}
