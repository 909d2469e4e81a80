package io.verbena.rnic;

import io.verbena.memory.vmm.PageJob;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Pager;
import io.verbena.memory.vmm.PagingHost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Files in memory, and a pager that does one job per round of the world. */
public final class ManualPaging implements PagingHost {

    /** Contents of files by path. */
    public final Map<Path, byte[]> files = new HashMap<>();

    /** While true, no page is moved. */
    public boolean frozen;

    boolean readsFail;
    public boolean writesFail;
    int stores;

    private final List<Pager> pagers = new ArrayList<>();
    private final PageJob job = new PageJob();

    /** Executes one job of each pager; returns whether there was one. */
    boolean turn() {
        boolean any = false;
        for (int i = 0; i < pagers.size() && !frozen; i++) {
            Pager pager = pagers.get(i);
            if (pager.take(job)) {
                if (!job.settled()) {
                    throw new AssertionError("an engine is inside a turn, but everything runs in one thread");
                }
                pager.perform(job);
                pager.finish(job);
                any = true;
            } else {
                any |= pager.starved();
            }
        }
        return any;
    }

    byte[] file(String name) {
        return contentOf(Path.of(name));
    }

    private byte[] contentOf(Path file) {
        return files.getOrDefault(file, new byte[0]);
    }

    @Override
    public PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException {
        byte[] content = files.computeIfAbsent(file, name -> new byte[0]);
        if (content.length < offset + bytes) {
            if (!writable) {
                throw new IOException(file + " is too short");
            }
            files.put(file, Arrays.copyOf(content, (int) (offset + bytes)));
        }
        return new Store(file, (int) offset, (int) bytes, writable);
    }

    @Override
    public PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) {
        Path file = Path.of("swap-" + files.size());
        files.put(file, new byte[(int) bytes]);
        return new Store(file, 0, (int) bytes, true);
    }

    @Override
    public Driver drive(Pager pager, int threads) {
        pagers.add(pager);
        return () -> pagers.remove(pager);
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
            byte[] content = contentOf(file);
            int at = origin + (int) offset;
            int count = Math.clamp(length - offset, 0, page.remaining());
            if (at + count > content.length) {
                throw new IOException("the file became shorter");
            }
            page.put(content, at, count);
            while (page.hasRemaining()) {
                page.put((byte) 0);
            }
        }

        @Override
        public void write(long offset, ByteBuffer page) throws IOException {
            if (writesFail) {
                throw new IOException("no space left on device");
            }
            byte[] content = contentOf(file);
            int at = origin + (int) offset;
            int count = Math.clamp(length - offset, 0, page.remaining());
            if (at + count > content.length) {
                throw new IOException("the file became shorter");
            }
            if (count > 0) {
                page.get(content, at, count);
            }
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
        public void resize(long bytes) {
            files.put(file, Arrays.copyOf(contentOf(file), (int) (origin + bytes)));
            length = (int) bytes;
        }

        @Override
        public void close() {
            stores--;
        }
    }
}
