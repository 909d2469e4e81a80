package io.verbena.spark;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueueOptions;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.Notification;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The connection to an executor whose map outputs this one reads. A fetch waits for one of {@link ServedPeer#SLOTS} slots, requests its ranges
 * in it, and then posts its Reads, with those of other fetches under one doorbell. A connection that has ended is not used again: its fetches
 * begin anew on another one.
 */
final class PeerChannel {

    private static final int MOST_READS = 64;

    /** After this many bytes a Read is signalled, so that the blocks that are there can be delivered. */
    private static final int DELIVERED_BYTES = 256 << 10;

    private static final int SLOTS = ServedPeer.SLOTS;

    private final Peers peers;
    private final String executor;

    private final KnownOutputs known = new KnownOutputs();

    // All of the following is guarded by this, except that only the handler moves the cursor.
    private final Deque<Fetch> waiting = new ArrayDeque<>();
    private final Deque<Integer> released = new ArrayDeque<>();
    private final Slot[] slots = new Slot[SLOTS];
    private final Deque<Reading.Part> unposted = new ArrayDeque<>();
    private final Deque<Posted> posted = new ArrayDeque<>();
    private @Nullable Link link;
    private long lastRead;
    private long unsignalledBytes;
    private boolean ended;

    /** A Read that was posted, and its number. */
    private record Posted(long number, Reading.Part part) {}

    /** A request in progress: it ends when it was sent and answered. */
    private static final class Slot {
        private boolean sending;
        private boolean unanswered;
        private Optional<Fetch> fetch = Optional.empty();

        private boolean free() {
            return !sending && !unanswered;
        }
    }

    /** The objects of the verbs. */
    private record Link(
            CompletionQueue cq,
            CompletionCursor cursor,
            QueuePair queuePair,
            MemoryRegion requests,
            MemoryRegion answers) {

        private static Link open(Peers peers) {
            CompletionQueue cq = peers.rnic()
                    .createCompletionQueue(CompletionQueueOptions.capacity(MOST_READS + 3 * SLOTS + 4)
                            .withHandler(peers.handler()));
            QueuePair queuePair =
                    peers.domain().createQueuePair(QueuePairOptions.of(cq).withDepths(MOST_READS + SLOTS, SLOTS));
            MemoryRegion requests = peers.domain().allocate((long) SLOTS * OpenRequest.MOST_BYTES);
            MemoryRegion answers =
                    peers.domain().allocate((long) SLOTS * OpenReply.MOST_BYTES, AccessRight.LOCAL_WRITE);
            Link link = new Link(cq, cq.cursor(), queuePair, requests, answers);
            for (int i = 0; i < SLOTS; i++) {
                link.receive(i);
            }
            return link;
        }

        private void receive(int index) {
            queuePair.postReceive(index, answers, (long) index * OpenReply.MOST_BYTES, OpenReply.MOST_BYTES);
        }

        private void close() {
            queuePair.close();
            cq.close();
            requests.close();
            answers.close();
        }
    }

    PeerChannel(Peers peers, String executor) {
        this.peers = peers;
        this.executor = executor;
        for (int i = 0; i < SLOTS; i++) {
            slots[i] = new Slot();
        }
    }

    String executor() {
        return executor;
    }

    /** Connects in a thread of its own, the later the more attempts have failed. */
    void start(int attempts) {
        Thread.ofVirtual().name("verbena-shuffle-connect").start(() -> {
            try {
                if (attempts > 0) {
                    Thread.sleep(50L << Math.min(attempts, 6));
                }
                connect();
            } catch (Throwable e) { // the fetches that wait for this connection must learn of it
                end(e);
            }
        });
    }

    private void connect() throws IOException {
        Link opened = Link.open(peers);
        peers.opened(opened.cq(), this);
        boolean established = false;
        try {
            Connection connection = peers.rnic()
                    .connect(
                            opened.queuePair(),
                            peers.directory().find(executor),
                            ConnectionOptions.defaults().withPrivateData(peers.secret()));
            peers.established(executor, connection.transport());
            synchronized (this) {
                if (!ended) {
                    link = opened;
                    established = true;
                    proceed(opened);
                }
            }
        } catch (ConnectionException e) {
            throw new IOException("it cannot be connected: " + e.getMessage(), e);
        } finally {
            if (established) {
                opened.cq().requestNotification(Notification.NEXT);
            } else {
                peers.closed(opened.cq());
                opened.close();
            }
        }
    }

    /**
     * Takes a fetch; false if the connection has ended. It begins with its Reads if it is known where its blocks are,
     * else with a request.
     */
    boolean submit(Fetch fetch) {
        Optional<OpenReply> found = known.find(fetch, peers.gatheredBytes());
        synchronized (this) {
            if (ended) {
                return false;
            }
            if (found.isEmpty()) {
                waiting.add(fetch);
                if (link != null) {
                    proceed(link);
                }
                return true;
            }
        }
        peers.figures().located.incrementAndGet();
        begin(fetch, found.get());
        return true;
    }

    /** A shuffle was removed. */
    void remove(int shuffle) {
        known.remove(shuffle);
    }

    /** Reads ranges, if the connection has not ended; the outcome is called in any case. */
    private void read(Reading reading, List<RemoteRegion> ranges) {
        synchronized (this) {
            if (!ended && link != null) {
                unposted.addAll(reading.parts(ranges));
                proceed(link);
                return;
            }
        }
        reading.outcome().ended(Optional.of(new IOException("the connection has ended")));
    }

    /** Posts what can be posted, with one doorbell. Called with the lock. */
    private void proceed(Link on) {
        on.queuePair().startBatch();
        try {
            for (int i = 0; i < SLOTS && !(waiting.isEmpty() && released.isEmpty()); i++) {
                if (slots[i].free()) {
                    request(on, i);
                }
            }
            if (!unposted.isEmpty() && posted.size() < MOST_READS) {
                peers.figures().doorbells.incrementAndGet();
            }
            while (!unposted.isEmpty() && posted.size() < MOST_READS) {
                post(on, unposted.remove());
            }
        } finally {
            on.queuePair().ringDoorbell();
        }
    }

    private void request(Link on, int index) {
        Slot slot = slots[index];
        int place = released.isEmpty() ? 0 : released.remove();
        slot.fetch = Optional.ofNullable(waiting.poll());
        slot.fetch.ifPresent(fetch -> {
            peers.figures().opens.incrementAndGet();
            peers.figures().openedBlocks.addAndGet(fetch.blocks().count());
        });
        OpenRequest request = new OpenRequest(
                index,
                place,
                slot.fetch.map(Fetch::shuffle).orElse(0),
                slot.fetch.map(known::firstUnknown).orElse(0),
                slot.fetch.map(Fetch::blocks).orElse(OpenRequest.Blocks.NONE));
        long at = (long) index * OpenRequest.MOST_BYTES;
        int length = request.write(on.requests().segment().asSlice(at, OpenRequest.MOST_BYTES));
        slot.sending = true;
        slot.unanswered = true;
        require(on.queuePair().postSend(index, on.requests(), at, length, WrFlags.SIGNALLED));
    }

    private void post(Link on, Reading.Part part) {
        boolean full = posted.size() + 1 == MOST_READS;
        int length = (int) part.from().length();
        unsignalledBytes += length;
        boolean signalled = part.last() || full || unposted.isEmpty() || unsignalledBytes >= DELIVERED_BYTES;
        unsignalledBytes = signalled ? 0 : unsignalledBytes;
        lastRead++;
        posted.add(new Posted(lastRead, part));
        peers.figures().reads.incrementAndGet();
        peers.figures().readBytes.addAndGet(length);
        require(on.queuePair()
                .postRead(
                        lastRead,
                        part.reading().sink(),
                        part.offset(),
                        length,
                        part.from(),
                        0,
                        signalled ? WrFlags.SIGNALLED : WrFlags.UNSIGNALLED));
    }

    private static void require(boolean accepted) {
        if (!accepted) {
            throw new IllegalStateException("a queue is full that has a place for each request");
        }
    }

    /** Called by the handler. */
    void onCompletion() {
        Link on;
        synchronized (this) {
            on = link;
        }
        if (on == null) {
            return; // the first notification is requested again when it is there
        }
        try {
            while (on.cursor().next()) {
                completed(on);
            }
            on.cq().requestNotification(Notification.NEXT);
        } catch (Throwable e) { // as above
            Thread.ofVirtual().name("verbena-shuffle-end").start(() -> end(e));
        }
    }

    private void completed(Link on) throws IOException {
        CompletionCursor cursor = on.cursor();
        if (!cursor.ok()) {
            throw new IOException("the connection has ended: " + cursor.reason());
        }
        int index = (int) cursor.wrId();
        switch (cursor.opcode()) {
            case SEND -> sent(on, index);
            case READ -> read(on, cursor.wrId());
            case RECEIVE -> {
                OpenReply reply = OpenReply.read(
                        on.answers().segment().asSlice((long) index * OpenReply.MOST_BYTES, OpenReply.MOST_BYTES),
                        cursor.byteCount());
                answered(on, index, reply);
            }
            default -> throw new IOException("an unexpected message: " + cursor.opcode());
        }
    }

    private synchronized void sent(Link on, int index) {
        slots[index].sending = false;
        proceed(on);
    }

    private void answered(Link on, int index, OpenReply reply) throws IOException {
        Optional<Fetch> fetch;
        synchronized (this) {
            if (reply.slot() < 0 || reply.slot() >= SLOTS || !slots[reply.slot()].unanswered) {
                throw new IOException("an answer to no request, " + reply.slot());
            }
            Slot slot = slots[reply.slot()];
            fetch = slot.fetch;
            slot.unanswered = false;
            slot.fetch = Optional.empty();
            on.receive(index);
            proceed(on);
        }
        fetch.ifPresent(each -> begin(each, reply));
    }

    private void read(Link on, long number) {
        List<Reading> complete = new ArrayList<>();
        Optional<Reading.Part> last = Optional.empty();
        synchronized (this) {
            while (!posted.isEmpty() && posted.peek().number() <= number) {
                Reading.Part part = posted.remove().part();
                if (part.reading().completed()) {
                    complete.add(part.reading());
                }
                last = Optional.of(part);
            }
            proceed(on);
        }
        complete.forEach(reading -> reading.outcome().ended(Optional.empty()));
        last.filter(part -> !part.last())
                .ifPresent(part -> part.reading().outcome().arrived(part.end()));
    }

    /** Reads what an answer says. */
    private void begin(Fetch fetch, OpenReply reply) {
        if (!reply.failure().isEmpty()) {
            fetch.failed(new IOException(reply.failure()));
            return;
        }
        if (reply.lengths().length != fetch.blocks().count()) {
            release(reply.place());
            fetch.failed(new IOException("an answer has " + reply.lengths().length + " blocks"));
            return;
        }
        known.add(fetch, reply);
        if (fetch.files().isPresent()) {
            new FileFetch(fetch, reply, peers, this::read, this::release).start();
            return;
        }
        long total = reply.bytes();
        if (total == 0) {
            fetch.succeeded(RangeBuffer.empty(reply.lengths().length));
            return;
        }
        sink(fetch, total).ifPresentOrElse(region -> read(fetch, reply, region), () -> release(reply.place()));
    }

    private void read(Fetch fetch, OpenReply reply, MemoryRegion region) {
        Runnable onRead = () -> release(reply.place());
        Delivery delivery = new Delivery(fetch, region, reply.lengths(), peers.buffers(), onRead, peers::again);
        read(new Reading(region, delivery), reply.runs());
    }

    /** Memory for the blocks of a fetch; if there is none, the fetch fails. */
    private Optional<MemoryRegion> sink(Fetch fetch, long bytes) {
        try {
            Optional<MemoryRegion> sink = bytes > Integer.MAX_VALUE
                    ? Optional.empty()
                    : peers.buffers().take(bytes);
            if (sink.isEmpty()) {
                fetch.failed(new IOException("blocks of " + bytes + " bytes are not read into memory; reduce"
                        + " spark.network.maxRemoteBlockSizeFetchToMem, so that they are read into files"));
            }
            return sink;
        } catch (OutOfMemoryError | RuntimeException e) {
            fetch.failed(new IOException("there is no memory for " + bytes + " bytes outside of the heap", e));
            return Optional.empty();
        }
    }

    /** The other side may use a place again. */
    private synchronized void release(int place) {
        if (place == 0 || ended || link == null) {
            return;
        }
        released.add(place);
        proceed(link);
    }

    /** Ends the connection and begins its fetches anew. */
    void end(Throwable cause) {
        List<Fetch> left = new ArrayList<>();
        List<Reading> readings = new ArrayList<>();
        Link on;
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
            on = link;
            link = null;
            left.addAll(waiting);
            for (Slot slot : slots) {
                slot.fetch.ifPresent(left::add);
            }
            posted.forEach(each -> add(readings, each.part().reading()));
            unposted.forEach(part -> add(readings, part.reading()));
        }
        peers.ended(this);
        if (on != null) {
            peers.closed(on.cq());
            on.close(); // after that nothing writes to the regions
        }
        readings.forEach(reading -> reading.outcome().ended(Optional.of(cause)));
        left.forEach(fetch -> peers.again(fetch, cause));
    }

    private static void add(List<Reading> readings, Reading reading) {
        if (readings.isEmpty() || readings.getLast() != reading) {
            readings.add(reading);
        }
    }
}
