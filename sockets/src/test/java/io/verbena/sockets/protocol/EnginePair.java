package io.verbena.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;

/** Two engines and the connection between them, which moves when a test says so. */
final class EnginePair {

    static final StreamSettings SMALL = new StreamSettings(4, 20, 64, 1024, true, false);

    final Side client;
    final Side server;

    /** One end: its engine, its memory, and what is on its way from it. */
    static final class Side implements StreamBuffers {
        private static long nextAddress = 0x10_0000;
        private static int nextKey = 7;

        final StreamEngine engine;
        final List<Memory> open = new ArrayList<>();
        final Queue<Sent> underWay = new ArrayDeque<>();
        private final StreamWork work;
        private final Set<Integer> revoked = new HashSet<>();
        private final StreamSettings settings;

        /** Bytes that each receive holds, in the order in which the peer uses them. */
        private final Queue<Integer> receives = new ArrayDeque<>();

        private int receiveBytes = Integer.BYTES;
        private int receivesPosted;
        boolean refusesShorts;
        int shorts;
        int posted;
        int refusals;

        Side(StreamSettings settings) {
            this.settings = settings;
            Memory table = open(StreamEngine.tableBytes(), true);
            Memory receive = open(settings.initialBytes(), true);
            Memory send = open(settings.initialBytes(), false);
            engine = new StreamEngine(settings, this, table, receive, send);
            work = new StreamWork(send);
            postReceives();
        }

        private Memory open(int bytes, boolean remote) {
            Memory memory = new Memory(ByteBuffer.allocate(bytes), nextAddress, remote ? nextKey++ : 0);
            nextAddress += bytes + 4096;
            open.add(memory);
            return memory;
        }

        @Override
        public Optional<StreamMemory> receiveBuffer(int bytes) {
            return refusals-- > 0 ? Optional.empty() : Optional.of(open(bytes, true));
        }

        @Override
        public Optional<StreamMemory> sendBuffer(int bytes) {
            return refusals-- > 0 ? Optional.empty() : Optional.of(open(bytes, false));
        }

        @Override
        public boolean provideShorts() {
            receiveBytes = refusesShorts ? receiveBytes : StreamSettings.SHORT_BYTES;
            return !refusesShorts;
        }

        private void postReceives() {
            for (; receivesPosted < engine.receives(); receivesPosted++) {
                receives.add(receiveBytes);
            }
        }

        /** A message or a Send of the peer arrives and uses the next receive, which is posted again. */
        void take(Sent sent) {
            int holds = receives.remove();
            if (sent.isShort) {
                shorts++;
                assertTrue(sent.payload.length <= holds, "a Send is not longer than the receive that it uses");
                engine.onShort(ByteBuffer.wrap(sent.payload), 0, sent.payload.length);
            } else {
                engine.onMessage(sent.message);
            }
            receives.add(receiveBytes);
        }

        @Override
        public void release(StreamMemory memory) {
            assertTrue(open.remove(memory), "released once");
            revoked.add(memory.key());
        }

        /** Posts everything that the engine wants. */
        void post() {
            postReceives();
            while (engine.nextWork(work)) {
                posted++;
                byte[] payload = switch (work.kind()) {
                    case DATA, SHORT -> bytes(work.memory().bytes(), (int) work.offset(), work.length());
                    case TARGET -> bytes(work.entryBytes, 0, TargetEntry.LENGTH);
                    case MESSAGE, PROBE, CONFIRM -> new byte[0];
                };
                boolean message = work.kind() != StreamWork.Kind.PROBE && work.kind() != StreamWork.Kind.CONFIRM;
                underWay.add(new Sent(
                        payload,
                        work.remoteAddress(),
                        work.remoteKey(),
                        work.message(),
                        message,
                        work.kind() == StreamWork.Kind.SHORT,
                        work.signalled() ? work.id() : -1));
            }
            assertTrue(underWay.size() <= settings.sendSlots(), "the send queue holds what is posted");
        }

        private static byte[] bytes(ByteBuffer from, int offset, int length) {
            byte[] copy = new byte[length];
            from.get(offset, copy);
            return copy;
        }

        /** The peer wrote here. */
        void place(byte[] payload, long address, int key) {
            assertTrue(!revoked.contains(key), "the peer uses a buffer that was released");
            Memory memory = open.stream()
                    .filter(any -> any.key() == key && any.contains(address, payload.length))
                    .findAny()
                    .orElseThrow(() -> new AssertionError("a Write outside of all buffers"));
            memory.bytes().put((int) (address - memory.address()), payload);
        }
    }

    record Memory(ByteBuffer bytes, long address, int key) implements StreamMemory {
        boolean contains(long at, int length) {
            return at >= address && at + length <= address + bytes.capacity();
        }
    }

    record Sent(byte[] payload, long address, int key, int message, boolean hasMessage, boolean isShort, long id) {}

    EnginePair(StreamSettings forClient, StreamSettings forServer) {
        client = new Side(forClient);
        server = new Side(forServer);
    }

    static EnginePair connected() {
        return new EnginePair(SMALL, SMALL).connect();
    }

    EnginePair connect() {
        assertTrue(server.engine.onConnected(data(client.engine.request())));
        assertTrue(client.engine.onConnected(data(server.engine.reply())));
        return this;
    }

    /** Each side takes the other for librdmacm: zero where the extensions are. */
    EnginePair connectWithoutExtensions(int flags) {
        assertTrue(server.engine.onConnected(
                data(client.engine.request()).extensions(0).flags(flags)));
        assertTrue(client.engine.onConnected(
                data(server.engine.reply()).extensions(0).flags(flags)));
        return this;
    }

    static ConnectData data(byte[] bytes) {
        return ConnectData.at(MemorySegment.ofArray(bytes), 0);
    }

    /** One piece of work of a side arrives and completes. Returns false if none was under way. */
    boolean step(Side from) {
        from.post();
        Sent sent = from.underWay.poll();
        if (sent == null) {
            return false;
        }
        Side to = from == client ? server : client;
        if (sent.payload.length > 0 && !sent.isShort) {
            to.place(sent.payload, sent.address, sent.key);
        }
        if (sent.hasMessage) {
            to.take(sent);
        }
        if (sent.id >= 0) {
            from.engine.onWorkDone(sent.id);
        }
        return true;
    }

    /** Everything arrives, in both directions, until nothing is left. */
    void settle() {
        while (step(client) | step(server)) {}
    }

    static int write(Side side, String text) {
        return side.engine.write(ByteBuffer.wrap(text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)));
    }

    static String read(Side side) {
        ByteBuffer into = ByteBuffer.allocate(4096);
        assertEquals(side.engine.available(), side.engine.read(into));
        return new String(into.array(), 0, into.position(), java.nio.charset.StandardCharsets.ISO_8859_1);
    }
}
