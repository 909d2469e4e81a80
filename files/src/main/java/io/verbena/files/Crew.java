package io.verbena.files;

import io.verbena.files.failure.ConnectionLost;
import io.verbena.files.failure.FileServiceException;
import io.verbena.files.failure.Stalled;
import io.verbena.files.failure.StopRequest;
import io.verbena.files.protocol.Chunks;
import io.verbena.verbs.ConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** The threads of a copy, one per connection. A connection that breaks is established again as long as any of them makes progress. */
final class Crew implements AutoCloseable {

    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(2);

    /** The work of one connection, until no chunk is left to claim. */
    @FunctionalInterface
    interface Share {
        void work(Link link) throws FileServiceException;
    }

    private final Dialer dialer;
    private final Chunks chunks;
    private final CopySettings settings;
    private final Tally tally;
    private final StopRequest stop;
    private final AtomicReference<Optional<Throwable>> failure = new AtomicReference<>(Optional.empty());
    private final List<Thread> threads = new ArrayList<>();

    Crew(Dialer dialer, Chunks chunks, CopySettings settings, Tally tally, StopRequest stop) {
        this.dialer = dialer;
        this.chunks = chunks;
        this.settings = settings;
        this.tally = tally;
        this.stop = stop;
    }

    /** Starts the threads, at most one per chunk. */
    void start(Share share) {
        int count = Math.min(settings.work().connections(), chunks.count());
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofPlatform().daemon().name("copy " + i).start(() -> run(share)));
        }
    }

    private void run(Share share) {
        Duration pause = FIRST_PAUSE;
        boolean broken = false;
        Optional<Link> last = Optional.empty();
        Attempts attempts = new Attempts(settings.patience().retryFor());
        while (!chunks.isFinished() && !chunks.isCancelled()) {
            long before = chunks.finishedBytes();
            try (Link link = dialer.connect()) {
                last = Optional.of(link);
                if (broken) {
                    tally.reconnects.increment();
                    broken = false;
                }
                share.work(link);
                return;
            } catch (ConnectionException | ConnectionLost | Stalled e) {
                if (attempts.inVain(chunks.finishedBytes())) {
                    fail(e);
                    return;
                }
            } catch (OutOfMemoryError e) {
                fail(new FileServiceException(
                        "Not enough memory for the buffers of a connection; use a smaller --chunk or --depth", e));
                return;
            } catch (Throwable e) {
                fail(e); // also an error: the caller of the copy gets it, and no thread ends without a reason
                return;
            }
            // An attempt that the server had no place for is not a connection that was lost.
            broken |= last.filter(Link::served).isPresent();
            last = Optional.empty();
            pause = chunks.finishedBytes() > before ? FIRST_PAUSE : pause;
            pause(pause);
            pause = longer(pause);
        }
    }

    private static Duration longer(Duration pause) {
        return pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : pause.multipliedBy(2);
    }

    /** Ends early when all chunks are done or the caller requested the end. */
    private void pause(Duration longest) {
        long endNs = System.nanoTime() + longest.toNanos();
        try {
            while (!stop.raised() && !chunks.isFinished() && !chunks.isCancelled() && System.nanoTime() - endNs < 0) {
                chunks.await(Duration.ofMillis(50));
            }
        } catch (InterruptedException e) {
            chunks.cancel();
        }
    }

    private void fail(Throwable e) {
        failure.compareAndSet(Optional.empty(), Optional.of(e));
        chunks.cancel();
    }

    /** Whether any thread still works. */
    boolean working() {
        return threads.stream().anyMatch(Thread::isAlive);
    }

    /** Waits for one of the threads that still work, at most the given time. */
    void await(Duration longest) throws InterruptedException {
        for (Thread thread : threads) {
            if (thread.isAlive()) {
                thread.join(longest);
                return;
            }
        }
    }

    /**
     * Checks, after the threads have ended, that every chunk is done.
     *
     * @throws FileServiceException the first failure of a thread
     */
    void check() throws FileServiceException, ConnectionException {
        Optional<Throwable> first = failure.get();
        if (first.isPresent()) {
            switch (first.get()) {
                case FileServiceException sentence -> throw sentence;
                case ConnectionException connection -> throw connection;
                case RuntimeException unchecked -> throw unchecked;
                case Error error -> throw error;
                case Throwable other -> throw new FileServiceException(String.valueOf(other.getMessage()), other);
            }
        }
        stop.check();
        if (!chunks.isFinished()) {
            throw new FileServiceException("The copy ended before all chunks were done");
        }
    }

    /** Cancels the copy and waits for the threads. */
    @Override
    public void close() {
        chunks.cancel();
        try {
            for (Thread thread : threads) {
                thread.join(settings.patience().timeout().plusSeconds(5));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
