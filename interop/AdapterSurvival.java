import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.SurvivalOptions;
import io.verbena.verbs.WorkOpcode;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.BitSet;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.FutureTask;

/**
 * A connection over adapters that survives its transport: {@code AdapterSurvival server|client|pair DEVICE ADDRESS
 * CHANGES LOG SEED}. The client posts Writes, Reads, Sends and fetch-and-adds until the transport has changed CHANGES
 * times. A pair has both sides in one process, and they leave the transport by themselves; between a server and a
 * client a forwarder breaks it. Then the client reads from the server's memory what was executed there, and compares
 * it with its completions by the table of docs/survival.md.
 */
final class AdapterSurvival {

    private static final int PORT = 18990;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WINDOW = 8;
    private static final int RECEIVES = 64;

    /**
     * Memory of the server: a counter, a word that is written, receives of a word each, and a byte for each number of a
     * message.
     */
    private static final int COUNTER = 0;

    private static final int WRITTEN = 8;
    private static final int RECEIVED = 64;
    private static final int MARKS = 1024;
    private static final int MOST_MESSAGES = 1 << 18;
    private static final int BYTES = MARKS + MOST_MESSAGES;

    private AdapterSurvival() {}

    public static void main(String[] arguments) throws Exception {
        String device = arguments[1];
        InetSocketAddress at = new InetSocketAddress(arguments[2], PORT);
        int changes = Integer.parseInt(arguments[3]);
        boolean logged = Boolean.parseBoolean(arguments[4]);
        SurvivalOptions survival = SurvivalOptions.over().withPatience(PATIENCE);
        ConnectionOptions options = ConnectionOptions.defaults()
                .withTimeout(PATIENCE)
                .withRetries(1, 7)
                .withSurvival(logged ? survival.withLog() : survival);
        Random random = new Random(Long.parseLong(arguments[5]));
        switch (arguments[0]) {
            case "server" -> {
                try (Server server = new Server(device, at)) {
                    server.serve(options);
                }
            }
            case "client" -> {
                try (Client client = new Client(device, at, options, random)) {
                    System.out.println(client.run(changes, false));
                }
            }
            case "pair" -> pair(device, at, options, random, changes);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private static void pair(
            String device, InetSocketAddress at, ConnectionOptions options, Random random, int changes)
            throws Exception {
        try (Server server = new Server(device, at)) {
            FutureTask<Void> serving = new FutureTask<>(() -> {
                server.serve(options);
                return null;
            });
            Thread.ofPlatform().daemon().start(serving);
            String result;
            try (Client client = new Client(device, at, options, random)) {
                result = client.run(changes, true);
            }
            serving.get();
            System.out.println(result);
        }
    }

    private static Rnic open(String device) {
        return Rnic.open(RnicOptions.defaults().withProvider("ibverbs:" + device));
    }

    /** Receives messages, and marks each of their numbers. */
    private static final class Server implements AutoCloseable {
        private final Rnic rnic;
        private final CompletionQueue cq;
        private final QueuePair queuePair;
        private final MemoryRegion memory;
        private final Listener listener;

        Server(String device, InetSocketAddress at) throws IOException {
            rnic = open(device);
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(256);
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(64, 2 * RECEIVES));
            boolean atomics = rnic.query().operations().contains(WorkOpcode.FETCH_AND_ADD);
            memory = domain.allocate(
                    BYTES,
                    atomics
                            ? new AccessRight[] {
                                AccessRight.LOCAL_WRITE,
                                AccessRight.REMOTE_READ,
                                AccessRight.REMOTE_WRITE,
                                AccessRight.REMOTE_ATOMIC
                            }
                            : new AccessRight[] {
                                AccessRight.LOCAL_WRITE, AccessRight.REMOTE_READ, AccessRight.REMOTE_WRITE
                            });
            for (int i = 0; i < RECEIVES; i++) {
                receive(i);
            }
            listener = rnic.listen(at);
            System.out.println("Listening at " + listener.localAddress());
        }

        private void receive(long slot) {
            if (!queuePair.postReceive(slot, memory, RECEIVED + 8 * slot, 8)) {
                throw new IllegalStateException("the receive queue is full");
            }
        }

        void serve(ConnectionOptions options) throws IOException {
            byte[] where =
                    ByteBuffer.allocate(12).putLong(memory.address()).putInt(memory.rkey()).array();
            Connection connection = listener.nextRequest(PATIENCE)
                    .orElseThrow(() -> new IOException("no request within " + PATIENCE))
                    .startAccept(queuePair, options.withPrivateData(where));
            connection.awaitEstablished(PATIENCE);
            CompletionCursor completion = cq.cursor();
            long last = -1;
            while (!connection.awaitClosed(Duration.ZERO)) {
                cq.await(Duration.ofMillis(20));
                while (completion.next() && completion.ok()) {
                    long slot = completion.wrId();
                    long message = memory.segment().get(ValueLayout.JAVA_LONG, RECEIVED + 8 * slot);
                    if (message <= last) {
                        throw new AssertionError("message " + message + " after " + last);
                    }
                    last = message;
                    memory.segment().set(ValueLayout.JAVA_BYTE, MARKS + message, (byte) 1);
                    receive(slot);
                }
            }
            System.out.println("The server had " + connection.transportChanges());
        }

        @Override
        public void close() {
            rnic.close();
        }
    }

    private static final class Client implements AutoCloseable {
        private final Random random;
        private final Rnic rnic;
        private final CompletionQueue cq;
        private final CompletionCursor completion;
        private final QueuePair queuePair;
        private final MemoryRegion memory;
        private final Connection connection;
        private final WorkOpcode[] kinds;
        private final boolean logged;
        private final long serverAddress;
        private final int serverKey;

        private final WorkOpcode[] outstanding = new WorkOpcode[WINDOW];
        private long posted;
        private long completed;
        private long messages;

        // What the completions say.
        private final BitSet sent = new BitSet();
        private final BitSet perhapsSent = new BitSet();
        private long added;
        private long perhapsAdded;

        /** The number of each message that is outstanding. */
        private final long[] numbers = new long[WINDOW];

        Client(String device, InetSocketAddress at, ConnectionOptions options, Random random) throws IOException {
            this.random = random;
            rnic = open(device);
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(256);
            completion = cq.cursor();
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq).withDepths(64, 8));
            memory = domain.allocate(BYTES, AccessRight.LOCAL_WRITE);
            kinds = rnic.query().operations().contains(WorkOpcode.FETCH_AND_ADD)
                    ? new WorkOpcode[] {WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.SEND, WorkOpcode.FETCH_AND_ADD}
                    : new WorkOpcode[] {WorkOpcode.WRITE, WorkOpcode.READ, WorkOpcode.SEND};
            logged = options.survival().map(SurvivalOptions::logged).orElseThrow();
            connection = rnic.startConnect(queuePair, at, options);
            connection.awaitEstablished(PATIENCE);
            if (!connection.survives()) {
                throw new AssertionError("the connection does not survive");
            }
            ByteBuffer where = ByteBuffer.wrap(connection.privateData());
            serverAddress = where.getLong();
            serverKey = where.getInt();
        }

        /** Works until the transport has changed this many times, and returns a sentence about it. */
        String run(int changes, boolean leave) throws IOException {
            long startNs = System.nanoTime();
            long nextNs = startNs;
            while (connection.transportChanges().changes() < changes) {
                post();
                take(posted - completed == WINDOW);
                if (leave && System.nanoTime() - nextNs > 0) {
                    connection.migrate();
                    nextNs = System.nanoTime() + Duration.ofMillis(random.nextInt(300)).toNanos();
                }
                if (System.nanoTime() - startNs > 5 * PATIENCE.toNanos()) {
                    throw new AssertionError("the transport has changed " + connection.transportChanges() + " only");
                }
            }
            while (completed < posted) {
                take(true);
            }
            check();
            connection.disconnect();
            connection.awaitClosed(PATIENCE);
            return posted + " requests, " + connection.transportChanges() + ", unknown: "
                    + (perhapsSent.cardinality() - sent.cardinality()) + " of " + perhapsSent.cardinality() + " messages and "
                    + (perhapsAdded - added) + " of " + perhapsAdded + " additions";
        }

        private void post() {
            WorkOpcode kind = kinds[random.nextInt(kinds.length)];
            if (kind == WorkOpcode.SEND && messages == MOST_MESSAGES) {
                kind = WorkOpcode.WRITE;
            }
            int slot = (int) (posted % WINDOW);
            long at = 8L * slot;
            memory.segment().set(ValueLayout.JAVA_LONG, at, kind == WorkOpcode.SEND ? messages : posted);
            boolean room =
                    switch (kind) {
                        case WRITE -> queuePair.postWrite(posted, memory, at, 8, serverAddress + WRITTEN, serverKey, WrFlags.SIGNALLED);
                        case READ -> queuePair.postRead(posted, memory, 256 + at, 8, serverAddress + WRITTEN, serverKey, WrFlags.SIGNALLED);
                        case SEND -> queuePair.postSend(posted, memory, at, 8, WrFlags.SIGNALLED);
                        default ->
                            queuePair.postFetchAndAdd(
                                    posted, memory, 256 + at, serverAddress + COUNTER, serverKey, 1, WrFlags.SIGNALLED);
                    };
            if (!room) {
                throw new AssertionError("the send queue is full");
            }
            outstanding[slot] = kind;
            numbers[slot] = messages;
            messages += kind == WorkOpcode.SEND ? 1 : 0;
            posted++;
        }

        /** Takes what is complete, and waits for something if it must. */
        private void take(boolean wait) {
            boolean any = completion.next();
            if (!any && wait) {
                any = cq.await(PATIENCE) && completion.next();
                if (!any) {
                    throw new AssertionError("no completion within " + PATIENCE + ": " + connection.state() + " " + connection.reason() + " "
                            + connection.transportChanges());
                }
            }
            while (any) {
                count();
                any = completion.next();
            }
        }

        private void count() {
            if (completion.wrId() != completed) {
                throw new AssertionError("request " + completion.wrId() + " is complete, not " + completed);
            }
            int slot = (int) (completed++ % WINDOW);
            boolean success = completion.status() == CompletionStatus.SUCCESS;
            boolean idempotent = outstanding[slot] == WorkOpcode.WRITE || outstanding[slot] == WorkOpcode.READ;
            if (!success && (idempotent || completion.status() != CompletionStatus.OUTCOME_UNKNOWN)) {
                throw new AssertionError(outstanding[slot] + ": " + completion.status() + " " + completion.reason());
            }
            if (outstanding[slot] == WorkOpcode.SEND) {
                perhapsSent.set((int) numbers[slot]);
                sent.set((int) numbers[slot], success);
            } else if (outstanding[slot] == WorkOpcode.FETCH_AND_ADD) {
                perhapsAdded++;
                added += success ? 1 : 0;
                long original = memory.segment().get(ValueLayout.JAVA_LONG, 256 + 8L * slot);
                if (success && original < added - 1) {
                    throw new AssertionError("addition " + added + " has returned " + original);
                }
            }
        }

        /** The server marks a message after it was received: so a last message is awaited. */
        private void check() throws IOException {
            long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
            Optional<String> wrong = compare();
            while (wrong.isPresent() && System.nanoTime() - deadlineNs < 0) {
                wrong = compare();
            }
            if (wrong.isPresent()) {
                throw new AssertionError(wrong.get());
            }
            int unknown = perhapsSent.cardinality() - sent.cardinality();
            if (logged && unknown > connection.transportChanges().changes()) {
                throw new AssertionError(unknown + " messages are unknown after " + connection.transportChanges());
            }
        }

        private Optional<String> compare() throws IOException {
            if (!queuePair.postRead(posted, memory, 0, BYTES, serverAddress, serverKey, WrFlags.SIGNALLED)) {
                throw new AssertionError("the send queue is full");
            }
            outstanding[(int) (posted % WINDOW)] = WorkOpcode.READ;
            posted++;
            take(true);
            long counter = memory.segment().get(ValueLayout.JAVA_LONG, COUNTER);
            if (counter < added || counter > perhapsAdded) {
                return Optional.of("the counter is " + counter + ", not " + added + " to " + perhapsAdded);
            }
            for (int i = 0; i < messages; i++) {
                boolean marked = memory.segment().get(ValueLayout.JAVA_BYTE, MARKS + i) != 0;
                if (sent.get(i) && !marked || marked && !perhapsSent.get(i)) {
                    return Optional.of("message " + i + (marked ? " has arrived" : " has not arrived"));
                }
            }
            return Optional.empty();
        }

        @Override
        public void close() {
            rnic.close();
        }
    }
}
