package io.verbena.host;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.fixture.Seeds;
import io.verbena.host.segment.HostSegments;
import io.verbena.host.segment.SegmentSocket;
import io.verbena.host.segment.SharedSegmentTest;
import io.verbena.host.system.Linux;
import io.verbena.host.system.Machine;
import io.verbena.memory.vmm.SharedSegments.Offered;
import io.verbena.memory.vmm.SharedSegments.Opened;
import io.verbena.memory.vmm.SharedSegments.Shareable;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.WaitInterruptedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Processes of the same user that send anything to those that own or open segments. */
@Tag(Seeds.TAG)
class HostileSegmentTest {

    private static final int BYTES = 8192;
    private static final SegmentOfferOptions OFTEN =
            SegmentOfferOptions.defaults().withWritable(true).withMaxOpenings(1000);

    private final Arena arena = Arena.ofConfined();
    private final long seed = Seeds.one(1);
    private final SplittableRandom random = new SplittableRandom(seed);
    private final HostSegments owner = new HostSegments("test-owner");
    private final HostSegments opener = new HostSegments("test-opener");
    private MemorySegment state = MemorySegment.NULL;
    private long descriptors;

    @BeforeEach
    void count() throws IOException {
        assumeTrue(Machine.obstacleToLinux().isEmpty());
        state = Linux.newState(arena);
        descriptors = descriptors();
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        arena.close();
        SharedSegmentTest.assertNothingIsLeft();
        long left = descriptors();
        // Fewer if a test before this one has closed its last ones meanwhile.
        assertTrue(left <= descriptors, () -> left + " descriptors, " + descriptors + " at first, seed " + seed);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    // A hostile opener.

    private static SegmentSocket connected(SegmentToken token) throws IOException {
        SegmentSocket socket = SegmentSocket.open();
        int outcome;
        do {
            outcome = socket.connect(token.name());
            Thread.onSpinWait();
        } while (outcome == -Linux.EAGAIN);
        assertEquals(0, outcome);
        return socket;
    }

    private void sendBytes(SegmentSocket to, int length) {
        MemorySegment bytes = arena.allocate(Math.max(1, length));
        for (int i = 0; i < length; i++) {
            bytes.set(JAVA_BYTE, i, (byte) random.nextInt(4));
        }
        Linux.send(state, to.fd(), bytes.address(), length);
    }

    private void assertOpens(Offered offer) throws IOException {
        Opened opened = opener.open(offer.token(), true);
        assertEquals(BYTES, opened.memory().byteSize(), () -> "seed " + seed);
        opened.giveBack();
    }

    @Test
    void anyBytesToTheOwner_endThatConnectionOnly() throws Exception {
        Shareable memory = owner.create(BYTES);
        Offered offer = memory.offer(OFTEN);
        List<SegmentSocket> sockets = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            SegmentSocket socket = connected(offer.token());
            sockets.add(socket);
            switch (random.nextInt(6)) {
                case 0 -> sendBytes(socket, random.nextInt(100));
                case 1 -> sendBytes(socket, 32);
                case 2 -> socket.request(random.nextLong(), random.nextLong(), random.nextBoolean());
                case 3 -> socket.answer(random.nextInt(9), random.nextLong(), random.nextInt(3)); // with a descriptor
                case 4 -> sockets.removeLast().close();
                default -> {
                    SegmentToken token = offer.token();
                    socket.request(token.secretHigh(), token.secretLow(), true);
                    sendBytes(socket, random.nextInt(100)); // the owner sends nothing more to it
                }
            }
            if (i % 40 == 0) {
                assertOpens(offer);
            }
        }
        sockets.forEach(SegmentSocket::close);
        assertTrue(offer.end(Site.PATIENCE.toNanos()), () -> "seed " + seed);
        memory.giveBack();
    }

    @Test
    void silentConnections_areBounded_andDoNotKeepOthersOut() throws Exception {
        Shareable memory = owner.create(BYTES);
        Offered offer = memory.offer(OFTEN);
        List<SegmentSocket> silent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            silent.add(connected(offer.token()));
        }
        assertOpens(offer);
        long used = descriptors() - descriptors;
        memory.giveBack();
        silent.forEach(SegmentSocket::close);
        // Both ends of those that are not closed; the memory, the offer, its last opening, and two for each of two
        // threads.
        assertTrue(used <= 100 + 16 + 7, () -> used + " descriptors");
    }

    @Test
    void openerThatKeepsItsSocket_endWaitsForTheTimeoutDespiteAnInterrupt_andGivingBackDoesNotWait() throws Exception {
        Shareable memory = owner.create(BYTES);
        Offered offer = memory.offer(OFTEN);
        SegmentSocket socket = connected(offer.token());
        socket.request(offer.token().secretHigh(), offer.token().secretLow(), true);
        while (offer.processes().isEmpty()) {
            Thread.onSpinWait();
        }
        Thread.currentThread().interrupt();
        long beginNs = System.nanoTime();
        assertFalse(offer.end(50_000_000));
        assertTrue(System.nanoTime() - beginNs >= 50_000_000);
        assertTrue(Thread.interrupted());
        assertFalse(offer.end(0));
        memory.giveBack();
        assertTrue(offer.end(0));
        socket.close();
    }

    // A hostile owner.

    /** What it does with the connection of the opener. */
    private interface Answer {
        void to(SegmentSocket opener) throws IOException;
    }

    private String refusal(Answer answer) throws Exception {
        SegmentToken token = new SegmentToken(random.nextLong(), 1, 2);
        SegmentSocket listener = SegmentSocket.listen(token.name());
        CompletableFuture<String> outcome = CompletableFuture.supplyAsync(() ->
                assertThrows(IOException.class, () -> opener.open(token, true)).toString());
        SegmentSocket socket = null;
        while (socket == null) {
            socket = listener.accept().orElse(null);
        }
        try {
            boolean requested = false;
            while (!requested) {
                requested = socket.receive().isPresent(); // a socket with unread bytes is reset when it is closed
            }
            answer.to(socket);
        } finally {
            socket.close();
            listener.close();
        }
        return outcome.get();
    }

    private int memoryFile(long bytes, boolean sealed) {
        int fd = Linux.memoryFile(state, arena.allocateFrom("verbena-hostile"));
        assertEquals(0, Linux.size(state, fd, bytes));
        if (sealed) {
            assertEquals(0, Linux.sealSize(state, fd));
        }
        return fd;
    }

    private String refusal(long length, IntSupplier descriptor) throws Exception {
        int fd = descriptor.getAsInt();
        try {
            return refusal(socket -> socket.answer(SegmentSocket.OPENED, length, fd));
        } finally {
            SegmentSocket.closeDescriptor(fd);
        }
    }

    @Test
    void anyAnswerToTheOpener_isRefused_andItsDescriptorsAreClosed() throws Exception {
        String unsealed = refusal(BYTES, () -> memoryFile(BYTES, false));
        assertTrue(unsealed.contains("no memory with a final size"), unsealed);
        for (long length : new long[] {0, -1, BYTES - 1, BYTES + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
            String wrong = refusal(length, () -> memoryFile(BYTES, true));
            assertTrue(wrong.contains("has " + BYTES + " bytes"), wrong);
        }
        assertTrue(refusal(0, () -> memoryFile(0, true)).contains("bytes"));
        String none = refusal(BYTES, () -> SegmentSocket.NO_MEMORY);
        assertTrue(none.contains("no memory with a final size"), none);
        for (String file : List.of("/dev/zero", "/proc/self/mem", "/proc/self/maps")) {
            String device = refusal(BYTES, () -> Linux.openForReading(state, arena.allocateFrom(file)));
            assertTrue(device.contains("no memory with a final size"), device);
        }
        assertTrue(refusal(socket -> {}).contains("the segment cannot be opened"));
        assertTrue(refusal(socket -> sendBytes(socket, 32)).contains("not Verbena"));
        for (int i = 1; i < 300; i += 7) {
            int length = i;
            assertTrue(refusal(socket -> sendBytes(socket, length)).contains("the segment cannot be opened"));
        }
        int fd = memoryFile(BYTES, true);
        for (int outcome = 1; outcome < 20; outcome++) {
            int number = outcome;
            assertTrue(refusal(socket -> socket.answer(number, BYTES, fd)).contains("the segment cannot be opened"));
        }
        SegmentSocket.closeDescriptor(fd);
    }

    @Test
    void readOnlyDescriptorForAWritableOpening_isRefused() throws Exception {
        int fd = memoryFile(BYTES, true);
        int reading = Linux.openForReading(state, arena.allocateFrom("/proc/self/fd/" + fd));
        assertTrue(refusal(socket -> socket.answer(SegmentSocket.OPENED, BYTES, reading))
                .contains("ermission"));
        SegmentSocket.closeDescriptor(fd);
        SegmentSocket.closeDescriptor(reading);
    }

    @Test
    void twoDescriptorsInAnAnswer_areBothClosed() throws Exception {
        int fd = memoryFile(BYTES, true);
        assertTrue(refusal(socket -> sendTwice(socket, fd)).contains("the segment cannot be opened"));
        SegmentSocket.closeDescriptor(fd);
    }

    /** An answer with a wrong length and two descriptors. */
    private void sendTwice(SegmentSocket to, int fd) {
        MemorySegment bytes = arena.allocate(32, 8);
        MemorySegment control = arena.allocate(24, 8);
        control.set(JAVA_LONG, 0, 24);
        control.set(JAVA_INT, 8, Linux.SOL_SOCKET);
        control.set(JAVA_INT, 12, Linux.SCM_RIGHTS);
        control.set(JAVA_INT, 16, fd);
        control.set(JAVA_INT, 20, fd);
        MemorySegment piece = arena.allocate(16, 8);
        piece.set(JAVA_LONG, 0, bytes.address());
        piece.set(JAVA_LONG, 8, 32);
        MemorySegment header = arena.allocate(56, 8);
        header.set(JAVA_LONG, 16, piece.address());
        header.set(JAVA_LONG, 24, 1);
        header.set(JAVA_LONG, 32, control.address());
        header.set(JAVA_LONG, 40, 24);
        assertEquals(32, Linux.sendmsg(state, to.fd(), header, Linux.MSG_NOSIGNAL));
    }

    @Test
    void ownerThatDoesNotAnswer_openEndsWithTheTimeoutOrByAnInterrupt() throws Exception {
        SegmentToken token = new SegmentToken(random.nextLong(), 1, 2);
        SegmentSocket listener = SegmentSocket.listen(token.name());
        String silent =
                assertThrows(IOException.class, () -> opener.open(token, true)).toString();
        assertTrue(silent.contains("does not respond"), silent);
        Thread.currentThread().interrupt();
        assertThrows(WaitInterruptedException.class, () -> opener.open(token, true));
        assertTrue(Thread.interrupted());
        listener.close();
    }

    @Test
    void ownerThatSendsAfterTheAnswer_endsTheSegmentOnce() throws Exception {
        SegmentToken token = new SegmentToken(random.nextLong(), 1, 2);
        SegmentSocket listener = SegmentSocket.listen(token.name());
        int fd = memoryFile(BYTES, true);
        CompletableFuture<Opened> opening = CompletableFuture.supplyAsync(() -> {
            try {
                return opener.open(token, true);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        SegmentSocket socket = null;
        while (socket == null) {
            socket = listener.accept().orElse(null);
        }
        socket.answer(SegmentSocket.OPENED, BYTES, fd);
        Opened opened = opening.get();
        socket.answer(SegmentSocket.OPENED, BYTES, fd);
        socket.answer(SegmentSocket.OPENED, BYTES, fd);
        CompletableFuture<String> ended = new CompletableFuture<>();
        opened.onEnd(reason -> assertTrue(ended.complete(reason)));
        assertTrue(ended.get().contains("its owner, process "));
        assertEquals(0, Linux.close(state, fd));
        opened.memory().set(JAVA_LONG, 8, 1); // accessible until it is given back
        opened.giveBack();
        opened.giveBack();
        socket.close();
        listener.close();
    }
}
