package io.verbena.host.segment;

import io.verbena.memory.vmm.PageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A file as a page store. With direct I/O whole pages bypass the page cache of the operating system; a partial page at
 * the end of a file uses a second, ordinary channel.
 */
final class PageFile implements PageStore {

    private final String name;
    private final FileChannel pages;
    private final FileChannel ordinary;
    private final long origin;
    private final boolean writable;
    private final boolean direct;
    private volatile long length;

    /**
     * The part of a file that is mapped.
     *
     * @param origin where the segment begins in the file
     * @param length of the segment in bytes
     */
    record Extent(long origin, long length, boolean writable) {}

    /**
     * @param pages for whole pages; the same as {@code ordinary} without direct I/O
     */
    PageFile(Path name, FileChannel pages, FileChannel ordinary, Extent extent, boolean direct) {
        this.name = name.toString();
        this.pages = pages;
        this.ordinary = ordinary;
        this.origin = extent.origin();
        this.length = extent.length();
        this.writable = extent.writable();
        this.direct = direct;
    }

    @Override
    public void read(long offset, ByteBuffer page) throws IOException {
        long at = origin + offset;
        int want = wanted(offset, page.limit());
        FileChannel channel = pages;
        while (page.position() < want) {
            int count = channel.read(page, at + page.position());
            if (count < 0) {
                break;
            }
            // After a short read the remaining range is not aligned any more.
            channel = ordinary;
        }
        if (page.position() < want) {
            // The segment, and its file with it, may have been shortened meanwhile.
            want = wanted(offset, page.limit());
            if (page.position() < want) {
                throw becameShorter(at + want);
            }
        }
        // Clears bytes beyond the end of the segment, including those that a sector contained there.
        for (int i = want; i < page.limit(); i++) {
            page.put(i, (byte) 0);
        }
    }

    /** Number of bytes of a page that are within the segment. */
    private int wanted(long offset, int pageBytes) {
        return Math.clamp(length - offset, 0, pageBytes);
    }

    private IOException becameShorter(long needed) throws IOException {
        return new IOException("the file was truncated while it was mapped: it has " + ordinary.size() + " bytes, "
                + needed + " are needed");
    }

    @Override
    public void write(long offset, ByteBuffer page) throws IOException {
        int want = wanted(offset, page.limit());
        if (want > 0 && ordinary.size() < origin + offset + want) {
            // As above. Writing would make the file longer again, with zeros where there was data.
            want = wanted(offset, page.limit());
            if (want > 0 && ordinary.size() < origin + offset + want) {
                throw becameShorter(origin + offset + want);
            }
        }
        if (want == 0) {
            return;
        }
        FileChannel channel = want == page.remaining() ? pages : ordinary;
        page.limit(want);
        while (page.hasRemaining()) {
            channel.write(page, origin + offset + page.position());
            channel = ordinary;
        }
    }

    @Override
    public boolean writable() {
        return writable;
    }

    @Override
    public boolean direct() {
        return direct;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void resize(long bytes) throws IOException {
        if (bytes < length) {
            // First, so that a reader that reaches the new end of the file knows that it is intended.
            length = bytes;
            ordinary.truncate(origin + bytes);
            return;
        }
        if (ordinary.size() < origin + bytes) {
            ordinary.write(ByteBuffer.allocate(1), origin + bytes - 1);
        }
        length = bytes;
    }

    @Override
    public void close() throws IOException {
        if (pages != ordinary) {
            pages.close();
        }
        ordinary.close();
    }
}
