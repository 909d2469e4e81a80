package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Files in memory, for paging without a disk: in the simulation and in tests. Of one thread. A file that becomes
 * shorter while pages of it are open fails as a file of the system does.
 */
public final class MemoryPages {

    private final Map<Path, byte[]> files = new HashMap<>();
    private int stores;
    private boolean readsFail;
    private boolean writesFail;

    /** Whether reads fail from now on, as those of a broken disk. */
    public void failReads(boolean fail) {
        readsFail = fail;
    }

    /** Whether writes fail from now on, as those of a full disk. */
    public void failWrites(boolean fail) {
        writesFail = fail;
    }

    /** The number of files. */
    public int count() {
        return files.size();
    }

    /** Creates or replaces a file, whose bytes are those of the array. */
    public void put(Path file, byte[] content) {
        files.put(file, content);
    }

    /** The bytes of a file, or nothing if it does not exist. */
    public Optional<byte[]> content(Path file) {
        return Optional.ofNullable(files.get(file));
    }

    /** Stores that are open. */
    public int stores() {
        return stores;
    }

    /**
     * Opens a part of a file.
     *
     * @throws IOException if the file does not exist or is shorter
     */
    public PageStore open(Path file, long offset, long bytes, boolean writable) throws IOException {
        byte[] content = bytesOf(file);
        if (content.length < offset + bytes) {
            throw new IOException(file + " has " + content.length + " bytes only");
        }
        return new Store(file, Math.toIntExact(offset), Math.toIntExact(bytes), writable);
    }

    /** Opens a new file for pages that are swapped out. */
    public PageStore openSwap(long bytes) {
        Path file = Path.of("swap-" + files.size());
        files.put(file, new byte[Math.toIntExact(bytes)]);
        return new Store(file, 0, Math.toIntExact(bytes), true);
    }

    private byte[] bytesOf(Path file) throws IOException {
        byte[] content = files.get(file);
        if (content == null) {
            throw new IOException("the file does not exist: " + file);
        }
        return content;
    }

    private final class Store implements PageStore {
        private final Path file;
        private final int origin;
        private final boolean writable;
        private int length;

        Store(Path file, int origin, int length, boolean writable) {
            this.file = file;
            this.origin = origin;
            this.length = length;
            this.writable = writable;
            stores++;
        }

        @Override
        public void read(long offset, ByteBuffer page) throws IOException {
            if (readsFail) {
                throw new IOException("the disk is broken");
            }
            byte[] content = bytesOf(file);
            page.put(content, origin + (int) offset, within(offset, page, content));
            while (page.hasRemaining()) {
                page.put((byte) 0);
            }
        }

        @Override
        public void write(long offset, ByteBuffer page) throws IOException {
            if (writesFail) {
                throw new IOException("no space left on device");
            }
            byte[] content = bytesOf(file);
            int count = within(offset, page, content);
            if (count > 0) {
                page.get(content, origin + (int) offset, count);
            }
        }

        /** Number of bytes of a page that are within the segment; the file must contain them. */
        private int within(long offset, ByteBuffer page, byte[] content) throws IOException {
            int count = Math.clamp(length - offset, 0, page.remaining());
            if (origin + offset + count > content.length) {
                throw new IOException(file + " was truncated while it was mapped");
            }
            return count;
        }

        @Override
        public boolean writable() {
            return writable;
        }

        @Override
        public boolean direct() {
            return false;
        }

        @Override
        public String name() {
            return file.toString();
        }

        @Override
        public void resize(long bytes) throws IOException {
            files.put(file, Arrays.copyOf(bytesOf(file), origin + Math.toIntExact(bytes)));
            length = Math.toIntExact(bytes);
        }

        @Override
        public void close() {
            stores--;
        }
    }
}
