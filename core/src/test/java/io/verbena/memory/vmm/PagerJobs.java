package io.verbena.memory.vmm;

import static io.verbena.memory.vmm.FakeStore.PAGE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.memory.CopyResult;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;

/** Takes the jobs of a pager one by one, and says what they are: "in 3,4", "out 7". */
final class PagerJobs {

    static final String NOTHING = "nothing";

    private PagerJobs() {}

    /** Takes a job without doing it. */
    static String take(PagedMemory memory, PageJob job) {
        if (!memory.vmm.pager().take(job)) {
            return NOTHING;
        }
        StringJoiner pages = new StringJoiner(",");
        for (int i = 0; i < job.count; i++) {
            pages.add(Long.toString(job.pages[i]));
        }
        return (job.kind == PageJob.Kind.BRING_IN ? "in " : "out ") + pages;
    }

    /** The next job, which is done at once. */
    static String next(PagedMemory memory) {
        String job = take(memory, memory.job);
        if (!job.equals(NOTHING)) {
            memory.vmm.pager().perform(memory.job);
            memory.vmm.pager().finish(memory.job);
        }
        return job;
    }

    static List<String> all(PagedMemory memory) {
        List<String> jobs = new ArrayList<>();
        for (String job = next(memory); !job.equals(NOTHING); job = next(memory)) {
            jobs.add(job);
        }
        return jobs;
    }

    static void ask(PagedMemory memory, Mapping mapping, long... pages) {
        for (long page : pages) {
            assertEquals(CopyResult.NOT_NOW, memory.touch(mapping, page, false), "page " + page);
        }
    }

    /** An access to several pages in one turn. */
    static CopyResult askTogether(PagedMemory memory, Mapping mapping, long first, int count) {
        memory.engine.enter();
        try {
            return memory.range().copyOut(mapping.address() + first * PAGE, memory.buffer, 0, count * PAGE);
        } finally {
            memory.engine.leave();
        }
    }

    /** Gives the priority to an access that never comes: no page is spared because of it. */
    static void givePriorityAway(PagedMemory memory, Mapping mapping) {
        memory.vmm.pager().claim(segmentOf(memory, mapping), 1 << 20, 1 << 20);
    }

    static VirtualSegment segmentOf(PagedMemory memory, Mapping mapping) {
        return memory.vmm.entry(mapping).segment();
    }
}
