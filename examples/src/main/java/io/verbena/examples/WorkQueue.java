package io.verbena.examples;

import io.verbena.verbs.*;
import java.lang.foreign.ValueLayout;
import java.net.*;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;

/**
 * Jobs in the memory of one program, taken by workers: a fetch-and-add takes the next job, a Read fetches it, a Write stores its
 * result. Each job is done once, and a fast worker does more of them. The owner of the queue executes nothing for them.
 */
final class WorkQueue {

    private static final int WORKERS = 3;
    private static final int JOBS = 300;
    private static final int JOBS_AT = Long.BYTES; // after the index of the next job
    private static final int RESULTS_AT = JOBS_AT + JOBS * Long.BYTES;

    private WorkQueue() {}

    public static void main(String... args) throws Exception {
        try (Rnic rnic = Rnic.open();
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            CompletionQueue cq = rnic.createCompletionQueue(64);
            MemoryRegion queue = domain.allocate(
                    RESULTS_AT + JOBS * Long.BYTES,
                    AccessRight.LOCAL_WRITE,
                    AccessRight.REMOTE_READ,
                    AccessRight.REMOTE_WRITE,
                    AccessRight.REMOTE_ATOMIC);
            for (int job = 0; job < JOBS; job++) {
                queue.segment().set(ValueLayout.JAVA_LONG, JOBS_AT + job * Long.BYTES, job + 1L);
            }
            Listener listener = rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            List<Future<Integer>> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(threads.submit(() -> work(listener.localAddress())));
                listener.nextRequest(Duration.ofMinutes(1))
                        .orElseThrow()
                        .accept(domain.createQueuePair(cq), queue.remote().toBytes());
            }
            int done = 0;
            for (Future<Integer> each : workers) {
                done += each.get();
            }
            Check.that(done == JOBS, done + " jobs were done");
            for (int job = 0; job < JOBS; job++) {
                long result = queue.segment().get(ValueLayout.JAVA_LONG, RESULTS_AT + job * Long.BYTES);
                Check.that(result == (job + 1L) * (job + 1L), "the result of job " + job + " is " + result);
            }
            System.out.println(WORKERS + " workers did " + done + " jobs, each of them once.");
        }
    }

    private static int work(SocketAddress address) throws Exception {
        try (RdmaPeer worker = RdmaPeer.open(2 * Long.BYTES, AccessRight.LOCAL_WRITE)) {
            worker.connect(address);
            int done = 0;
            for (long job = worker.fetchAndAdd(0, 1).join();
                    job < JOBS;
                    job = worker.fetchAndAdd(0, 1).join()) {
                worker.read(0, Long.BYTES, JOBS_AT + job * Long.BYTES).join();
                long number = worker.memory().segment().get(ValueLayout.JAVA_LONG, 0);
                worker.memory().segment().set(ValueLayout.JAVA_LONG, 8, number * number);
                worker.write(8, Long.BYTES, RESULTS_AT + job * Long.BYTES).join();
                done++;
            }
            worker.read(0, Long.BYTES, 0).join(); // the Writes before it have arrived
            return done;
        }
    }
}
