package io.verbena.host;

import io.verbena.memory.vmm.PageStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * A file as a page store. With direct I/O whole pages go past the operating system's cache; the end of a file that is no
 * whole page goes through a second, ordinary channel.
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
     * @param pages for whole pages; the same as {@code ordinary} without direct I/O
     * @param origin where the segment begins in the file
     */
    PageFile(
            Path name,
            FileChannel pages,
            FileChannel ordinary,
            long origin,
            long length,
            boolean writable,
            boolean direct) {
        this.name = name.toString();
        this.pages = pages;
        this.ordinary = ordinary;
        this.origin = origin;
        this.length = length;
        this.writable = writable;
        this.direct = direct;
    }

    @Override
    public void read(long offset, ByteBuffer page) throws IOException {
        long at = origin + offset;
        int want = (int) Math.min(page.remaining(), length - offset);
        FileChannel channel = pages;
        while (page.position() < want) {
            int count = channel.read(page, at + page.position());
            if (count < 0) {
                break;
            }
            // After a short read the rest is not aligned any more.
            channel = ordinary;
        }
        // Behind the end of the file, and what a sector brought of behind the end of the segment.
        int have = Math.min(page.position(), Math.max(0, want));
        for (int i = have; i < page.limit(); i++) {
            page.put(i, (byte) 0);
        }
    }

    @Override
    public void write(long offset, ByteBuffer page) throws IOException {
        int want = (int) Math.min(page.remaining(), length - offset);
        if (want <= 0) {
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
            ordinary.truncate(origin + bytes);
        } else if (ordinary.size() < origin + bytes) {
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
