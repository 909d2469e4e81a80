package io.verbena.memory.vmm;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A file in memory; page {@code n} is full of {@code n + 1}. */
final class FakeStore implements PageStore {

    static final int PAGE = 512;

    byte[] content;
    boolean writable = true;
    boolean direct;
    boolean readsFail;

    /** What a failing read throws. */
    Throwable failure = new IOException("broken");

    boolean writesFail;
    int closed;

    /** Pages that were read and written, in order. */
    final List<Long> read = new ArrayList<>();

    final List<Long> written = new ArrayList<>();

    FakeStore(int pages) {
        content = new byte[pages * PAGE];
        for (int i = 0; i < content.length; i++) {
            content[i] = fill(i / PAGE);
        }
    }

    static byte fill(long page) {
        return (byte) (page + 1);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> E any(Throwable thrown) throws E {
        throw (E) thrown;
    }

    @Override
    public void read(long offset, ByteBuffer page) throws IOException {
        read.add(offset / PAGE);
        if (readsFail) {
            throw FakeStore.<RuntimeException>any(failure);
        }
        for (int i = 0; i < page.limit(); i++) {
            page.put(i, offset + i < content.length ? content[(int) offset + i] : 0);
        }
    }

    @Override
    public void write(long offset, ByteBuffer page) throws IOException {
        if (writesFail) {
            throw new IOException("full");
        }
        written.add(offset / PAGE);
        page.get(content, (int) offset, Math.min(PAGE, content.length - (int) offset));
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
        return "fake";
    }

    @Override
    public void resize(long bytes) {
        content = Arrays.copyOf(content, (int) bytes);
    }

    @Override
    public void close() {
        closed++;
    }
}
