package io.verbena.sim;

import io.verbena.memory.vmm.MemoryPages;
import io.verbena.memory.vmm.PageJob;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Pager;
import io.verbena.memory.vmm.PagingHost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The disk of a {@link VirtualHost}: files in memory, and pagers that take virtual time. */
public final class VirtualPaging implements PagingHost {

    private static final long LEAST_NS = 5_000;
    private static final int MOST_MORE_NS = 300_000;
    private static final long STARVED_NS = 1_000_000;

    private final Run run;
    private final SimRandom random;
    private final MemoryPages files = new MemoryPages();

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
        return files.content(name)
                .orElseThrow(() -> new IllegalArgumentException("the file does not exist: " + name))
                .clone();
    }

    @Override
    public PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException {
        return files.open(file, offset, bytes, writable);
    }

    @Override
    public PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) {
        return files.openSwap(bytes);
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
}
