package io.verbena.host.segment;

import io.verbena.host.system.Sentences;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Pager;
import io.verbena.memory.vmm.PagingHost;
import io.verbena.memory.vmm.SharedSegments;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** Real files and threads for a VMM. */
public final class HostPaging implements PagingHost {

    /** The JDK's option for direct I/O is in a module of its own, which a run-time image may lack. */
    private static final Optional<OpenOption> DIRECT = directOption();

    private final String name;
    private final HostSegments segments;

    public HostPaging(String name) {
        this.name = name;
        segments = new HostSegments(name);
    }

    @Override
    public SharedSegments sharedSegments() {
        return segments;
    }

    private static Optional<OpenOption> directOption() {
        try {
            Object[] all = Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants();
            for (int i = 0; all != null && i < all.length; i++) {
                Object option = all[i];
                if (option.toString().equals("DIRECT")) {
                    return Optional.of((OpenOption) option);
                }
            }
        } catch (ClassNotFoundException e) {
            return Optional.empty();
        }
        return Optional.empty();
    }

    @Override
    public PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException {
        Set<OpenOption> options = new HashSet<>(EnumSet.of(StandardOpenOption.READ));
        if (writable) {
            options.addAll(EnumSet.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE));
        }
        return open(file, offset, bytes, options, writable, pageBytes, direct);
    }

    @Override
    public PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) throws IOException {
        Path file = directory.isPresent()
                ? Files.createTempFile(directory.get(), "verbena", ".swap")
                : Files.createTempFile("verbena", ".swap");
        Set<OpenOption> options = new HashSet<>(
                EnumSet.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.DELETE_ON_CLOSE));
        return open(file, 0, bytes, options, true, pageBytes, direct);
    }

    private static PageStore open(
            Path file,
            long offset,
            long bytes,
            Set<OpenOption> options,
            boolean writable,
            int pageBytes,
            boolean direct)
            throws IOException {
        // The system removes the name of a delete-on-close file immediately: open the other channel first.
        boolean nameless = options.contains(StandardOpenOption.DELETE_ON_CLOSE);
        Optional<FileChannel> early = nameless && direct ? pastTheCache(file, options, pageBytes) : Optional.empty();
        FileChannel ordinary = channel(file, options);
        try {
            long size = ordinary.size();
            if (!writable && size < offset + bytes) {
                throw new IOException(file + " has " + size + " bytes; " + (offset + bytes) + " are needed");
            }
            if (writable && size < offset + bytes) {
                ordinary.write(ByteBuffer.allocate(1), offset + bytes - 1);
            }
            Optional<FileChannel> past = direct && !nameless ? pastTheCache(file, options, pageBytes) : early;
            PageFile.Extent extent = new PageFile.Extent(offset, bytes, writable);
            return new PageFile(file, past.orElse(ordinary), ordinary, extent, past.isPresent());
        } catch (IOException | RuntimeException e) {
            ordinary.close();
            throw e;
        }
    }

    private static FileChannel channel(Path file, Set<OpenOption> options) throws IOException {
        try {
            return FileChannel.open(file, options);
        } catch (NoSuchFileException e) {
            throw new IOException("the file does not exist: " + file, e);
        } catch (IOException e) {
            throw new IOException("cannot open " + file + ": " + Sentences.reason(e), e);
        }
    }

    /** A channel with direct I/O, if the JDK, the file system and the page size allow it. */
    private static Optional<FileChannel> pastTheCache(Path file, Set<OpenOption> options, int pageBytes) {
        if (DIRECT.isEmpty()) {
            return Optional.empty();
        }
        Set<OpenOption> direct = new HashSet<>(options);
        direct.add(DIRECT.get());
        direct.remove(StandardOpenOption.CREATE);
        direct.remove(StandardOpenOption.DELETE_ON_CLOSE);
        try {
            if (pageBytes % Files.getFileStore(file).getBlockSize() != 0) {
                return Optional.empty();
            }
            FileChannel channel = FileChannel.open(file, direct);
            try {
                channel.read(
                        ByteBuffer.allocateDirect(2 * pageBytes)
                                .alignedSlice(pageBytes)
                                .limit(pageBytes),
                        0);
                return Optional.of(channel);
            } catch (IOException | RuntimeException e) {
                channel.close();
                return Optional.empty();
            }
        } catch (IOException | RuntimeException e) {
            return Optional.empty();
        }
    }

    @Override
    public Driver drive(Pager pager, int threads) {
        return new PagerThreads(name, pager, threads);
    }
}
