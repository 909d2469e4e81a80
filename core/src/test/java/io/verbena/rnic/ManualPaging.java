package io.verbena.rnic;

import io.verbena.memory.vmm.MemoryPages;
import io.verbena.memory.vmm.PageJob;
import io.verbena.memory.vmm.PageStore;
import io.verbena.memory.vmm.Pager;
import io.verbena.memory.vmm.PagingHost;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Files in memory, and a pager that does one job per round of the world. */
public final class ManualPaging implements PagingHost {

    /** The files. */
    public final MemoryPages pages = new MemoryPages();

    /** While true, no page is moved. */
    public boolean frozen;

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
        return pages.content(Path.of(name)).orElse(new byte[0]);
    }

    @Override
    public PageStore openFile(Path file, long offset, long bytes, boolean writable, int pageBytes, boolean direct)
            throws IOException {
        byte[] content = pages.content(file).orElse(new byte[0]);
        if (writable && (pages.content(file).isEmpty() || content.length < offset + bytes)) {
            pages.put(file, Arrays.copyOf(content, (int) (offset + bytes)));
        }
        return pages.open(file, offset, bytes, writable);
    }

    @Override
    public PageStore openSwap(Optional<Path> directory, long bytes, int pageBytes, boolean direct) {
        return pages.openSwap(bytes);
    }

    @Override
    public Driver drive(Pager pager, int threads) {
        pagers.add(pager);
        return () -> pagers.remove(pager);
    }
}
