package io.verbena.sim;

import io.verbena.memory.vmm.PageJob;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Pager;
import io.verbena.memory.vmm.PagingHost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The disk of a {@link VirtualHost}: files in memory, and pagers that take virtual time. */
public final class VirtualPaging implements PagingHost {

    private static final long LEAST_NS = 5_000;
    private static final int MOST_MORE_NS = 300_000;
    private static final long STARVED_NS = 1_000_000;

    private final Run run;
    private final SimRandom random;
    private final Map<Path, byte[]> files = new HashMap<>();

    VirtualPaging(Run run, SimRandom random) {
        this.run = run;
        this.random = random;
    }

    /** Creates a file. */
    public void file(Path name, byte[] content) {
        files.put(name, content.clone());
    }

    /** The content of a file. */
    public byte[] file(Path name) {
        return contentOf(name).clone();
    }

    private byte[] contentOf(Path name) {
        byte[] content = files.get(name);
        if (content == null) {
            throw new IllegalArgumentException("the file does not exist: " + name);
        }
        return content;
    }

    @Override
    public PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException {
        byte[] content = contentOf(file);
        if (content.length < offset + bytes) {
            throw new IOException(file + " has " + content.length + " bytes only");
        }
        return new Store(file, Math.toIntExact(offset), Math.toIntExact(bytes), writable);
    }

    @Override
    public PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) {
        Path file = Path.of("swap-" + files.size());
        files.put(file, new byte[Math.toIntExact(bytes)]);
        return new Store(file, 0, Math.toIntExact(bytes), true);
    }

    @Override
    public Driver drive(Pager pager, int threads) {
        Worker[] workers = new Worker[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Worker(pager);
        }
        pager.onWork(() -> {
            for (Worker worker : workers) {
                if (!worker.busy) {
                    worker.begin();
                    return;
                }
            }
        });
        return () -> {
            for (Worker worker : workers) {
                worker.closed = true;
            }
        };
    }

    /** One pager: between taking a job and doing it, and between doing it and telling, time passes. */
    private final class Worker {
        private final Pager pager;
        private final PageJob job = new PageJob();
        private boolean busy;
        private boolean closed;

        Worker(Pager pager) {
            this.pager = pager;
        }

        void begin() {
            busy = true;
            later(this::take);
        }

        private void take() {
            if (!closed && pager.take(job)) {
                later(this::perform);
            } else if (!closed && pager.starved()) {
                run.after(STARVED_NS, this::take);
            } else {
                busy = false;
            }
        }

        private void perform() {
            if (!job.settled()) {
                later(this::perform);
                return;
            }
            pager.perform(job);
            later(() -> {
                pager.finish(job);
                take();
            });
        }
    }

    private void later(Runnable action) {
        run.after(LEAST_NS + random.nextInt(MOST_MORE_NS), action);
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
        }

        @Override
        public void read(long offset, ByteBuffer page) throws IOException {
            byte[] content = contentOf(file);
            int count = within(offset, page, content);
            page.put(content, origin + (int) offset, count);
            while (page.hasRemaining()) {
                page.put((byte) 0);
            }
        }

        @Override
        public void write(long offset, ByteBuffer page) throws IOException {
            byte[] content = contentOf(file);
            int count = within(offset, page, content);
            page.get(content, origin + (int) offset, count);
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
        public void resize(long bytes) {
            files.put(file, Arrays.copyOf(contentOf(file), origin + Math.toIntExact(bytes)));
            length = Math.toIntExact(bytes);
        }

        @Override
        public void close() {}
    }
}
