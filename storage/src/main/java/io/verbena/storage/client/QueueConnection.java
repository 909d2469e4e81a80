package io.verbena.storage.client;

import io.verbena.storage.host.BlockCommand;
import io.verbena.storage.wire.CompletionEntry;
import io.verbena.storage.wire.SubmissionEntry;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WindowOptions;
import io.verbena.verbs.WorkRequest;
import io.verbena.verbs.WrFlags;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** One connection of a {@link DiskQueue}: a queue pair, and a window for each command. */
final class QueueConnection {
    private static final long SENT = 1L << 32;
    private static final long UNBOUND = 2L << 32;
    private static final int TARGET_READS = 16;
    private static final AccessRight[] TARGET_MAY_READ = {AccessRight.REMOTE_READ};
    private static final AccessRight[] TARGET_MAY_WRITE = {AccessRight.REMOTE_WRITE};

    private final QueueOwner owner;
    private final TargetPath path;
    private final DiskQueue queue;
    private final CompletionQueue completions;
    private final CompletionCursor cursor;
    private final QueuePair queuePair;
    private final WorkRequest request;
    private final List<MemoryWindow> windows;
    private final boolean[] bound;
    private final int sendsPerSignal;
    private int unsignalled;
    private boolean batch;
    private boolean failed;
    private Optional<Connection> connection = Optional.empty();

    QueueConnection(QueueOwner owner, TargetPath path, DiskQueue queue, int entries) {
        this.owner = owner;
        this.path = path;
        this.queue = queue;
        ProtectionDomain domain = path.domain();
        // A command needs a bind, a Send, and perhaps an unbind.
        int sends = 4 * entries;
        completions = domain.rnic().createCompletionQueue(sends + entries);
        cursor = completions.cursor();
        // Only the target reads, but for a probe of a connection that has to notice silence to survive it.
        int reads = path.connection().survival().isPresent() ? 1 : 0;
        queuePair = domain.createQueuePair(QueuePairOptions.of(completions)
                .withDepths(sends, entries)
                .withReads(TARGET_READS, reads)
                .withElements(2, 1));
        request = queuePair.newWorkRequest();
        bound = new boolean[queue.depth()];
        boolean windowed = path.keys() == KeyUse.PER_COMMAND;
        windows = windowed ? domain.allocateWindows(queue.depth(), WindowOptions.defaults()) : List.of();
        sendsPerSignal = Math.max(1, entries / 2);
        for (int receive = 0; receive < entries; receive++) {
            receive(receive);
        }
    }

    void start(byte[] privateData, Duration timeout) {
        ConnectionOptions options =
                path.connection().withPrivateData(privateData).withTimeout(timeout);
        try {
            Connection started = domainConnect(options);
            connection = Optional.of(started);
            started.onStateChange((changed, state) -> owner.execute(() -> queue.onState(this, changed, state)));
        } catch (VerbsException | IllegalArgumentException e) {
            String why = "A connection to " + path.server() + " cannot be started: " + e.getMessage();
            owner.execute(() -> queue.lost(why));
        }
    }

    private Connection domainConnect(ConnectionOptions options) {
        return path.domain().rnic().startConnect(queuePair, path.address(), options);
    }

    // ---- Completions

    /** Takes what has completed. Returns whether there was anything. */
    boolean poll() {
        boolean any = false;
        while (!failed && cursor.next()) {
            any = true;
            if (cursor.ok()) {
                completed(cursor.wrId());
            } else {
                fail("Work of a queue failed: " + cursor.reason());
            }
        }
        return any;
    }

    private void fail(String why) {
        failed = true;
        queue.lost(why);
    }

    private void completed(long id) {
        int index = (int) id;
        if ((id & UNBOUND) != 0) {
            deliver(index, CompletionEntry.LENGTH);
        } else if ((id & SENT) == 0) {
            received(index, (int) cursor.byteCount());
        }
    }

    private void received(int receive, int lengthBytes) {
        int slot = CompletionEntry.fits(lengthBytes) ? queue.slotOfResponse(receive) : -1;
        if (slot < 0 || !bound[slot]) {
            deliver(receive, lengthBytes);
            return;
        }
        bound[slot] = false;
        MemoryWindow window = windows.get(slot);
        if (!cursor.hasInvalidatedKey()) {
            // The target may leave that to the host. The data are safe when the window is gone.
            post(request.unbind(window), UNBOUND | receive, true);
        } else if (cursor.invalidatedKey() == window.rkey()) {
            deliver(receive, lengthBytes);
        } else {
            fail("The target invalidated the key of another command.");
        }
    }

    private void deliver(int receive, int lengthBytes) {
        queue.onResponse(receive, lengthBytes);
        if (!failed) {
            receive(receive);
        }
    }

    private void receive(int receive) {
        long offset = (long) receive * CompletionEntry.LENGTH;
        if (!queuePair.postReceive(receive, queue.responses(), offset, CompletionEntry.LENGTH)) {
            throw new IllegalStateException("A receive queue is full, although its entries are counted.");
        }
    }

    // ---- Commands

    /** Sends an entry without data, which is copied now: its memory can be used again at once. */
    void sendCapsule(int slot) {
        WorkRequest send = request.send()
                .inlineData(queue.capsules().segment(), (long) slot * SubmissionEntry.LENGTH, SubmissionEntry.LENGTH);
        postSend(send);
    }

    void sendWithData(int slot, MemoryRegion data, long offset, int lengthBytes) {
        WorkRequest send = request.send()
                .element(queue.capsules(), (long) slot * SubmissionEntry.LENGTH, SubmissionEntry.LENGTH)
                .element(data, offset, lengthBytes);
        postSend(send);
    }

    void sendWithWindow(SubmissionEntry entry, int slot, MemoryRegion data, BlockCommand command) {
        MemoryWindow window = windows.get(slot);
        AccessRight[] rights = command.reads() ? TARGET_MAY_WRITE : TARGET_MAY_READ;
        post(request.bind(window, data, command.offset(), command.lengthBytes(), rights), SENT, false);
        bound[slot] = true;
        entry.keyed(data.address() + command.offset(), command.lengthBytes(), window.rkey(), true);
        sendCapsule(slot);
    }

    private void postSend(WorkRequest send) {
        unsignalled++;
        boolean signalled = unsignalled == sendsPerSignal;
        if (signalled) {
            unsignalled = 0;
        }
        post(send, SENT, signalled);
    }

    private void post(WorkRequest work, long id, boolean signalled) {
        if (!batch) {
            batch = true;
            queuePair.startBatch();
        }
        work.id(id).flags(signalled ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED);
        if (!queuePair.post(work) && !failed) {
            // A target that answers without acknowledging can cause this.
            fail("The send queue is full.");
        }
    }

    /** The RNIC begins with everything that was posted since the last call. */
    void ring() {
        if (batch) {
            batch = false;
            queuePair.ringDoorbell();
        }
    }

    // ---- The end

    void close(boolean inOrder) {
        failed = true;
        ring();
        if (inOrder) {
            connection.ifPresent(Connection::close);
        }
        queuePair.close();
        windows.forEach(MemoryWindow::close);
        completions.close();
    }
}
