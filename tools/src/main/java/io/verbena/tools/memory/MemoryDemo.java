package io.verbena.tools.memory;

import io.verbena.tools.base.CompletionWaiter;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.AddressSegment;
import io.verbena.verbs.AddressSpace;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.MemoryWindow;
import io.verbena.verbs.PageTableKind;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RemoteRegion;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VirtualMemory;
import io.verbena.verbs.VirtualMemoryFigures;
import io.verbena.verbs.VirtualMemoryOptions;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A file far larger than the frame pool, one sentence in it, a key to just that sentence, and a peer: an authorised and a
 * refused remote access, and the way of the sentence's address through the tables before and after.
 */
public final class MemoryDemo {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int PAGE_BYTES = 4096;
    private static final int FRAMES = 16;
    private static final int FILE_PAGES = 256;
    private static final long SENTENCE_AT = 100L * PAGE_BYTES + 0x7d1;
    private static final String SENTENCE = "These bytes have a key of their own.";

    private final PageTableKind kind;
    private final StopSignal stop;

    public MemoryDemo(PageTableKind kind, StopSignal stop) {
        this.kind = kind;
        this.stop = stop;
    }

    /**
     * What it found.
     *
     * @param walks translations of the address
     * @param advertised what the peer received: address, length, key
     * @param allowed what the peer read
     * @param refused the result of reading one byte more
     * @param figures of the VMM at the end
     * @param direct whether the file's pages passed by the operating system's cache
     */
    public record Result(
            Walks walks,
            RemoteRegion advertised,
            String allowed,
            String refused,
            VirtualMemoryFigures figures,
            boolean direct) {

        /**
         * Translations of the address of the sentence.
         *
         * @param before the steps while the page is in its file
         * @param after the steps once the peer has read it
         */
        public record Walks(List<WalkStep> before, List<WalkStep> after) {}
    }

    /** Runs it, in this process, over loopback. */
    public Result run(RnicOptions options) throws IOException, Failure {
        Path file = Files.createTempFile("verbena-memory", ".data");
        try (Rnic owner = Rnic.open(options);
                Rnic peer = Rnic.open(options);
                VirtualMemory memory = owner.openVirtualMemory(VirtualMemoryOptions.defaults()
                        .withFrameBytes((long) FRAMES * PAGE_BYTES)
                        .withPageBytes(PAGE_BYTES)
                        .withTables(kind))) {
            write(file);
            return run(owner, peer, memory, file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static void write(Path file) throws IOException {
        byte[] content = new byte[FILE_PAGES * PAGE_BYTES];
        byte[] sentence = SENTENCE.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(sentence, 0, content, (int) SENTENCE_AT, sentence.length);
        Files.write(file, content);
    }

    private Result run(Rnic owner, Rnic peer, VirtualMemory memory, Path file) throws IOException, Failure {
        AddressSpace neighbour = memory.createAddressSpace("neighbour");
        neighbour.mapPinned(PAGE_BYTES);
        neighbour.mapPinned(PAGE_BYTES);
        AddressSpace space = memory.createAddressSpace("reader");
        space.mapPinned(PAGE_BYTES);
        AddressSegment segment = space.mapFile(file, 0, (long) FILE_PAGES * PAGE_BYTES, true);
        long address = segment.address() + SENTENCE_AT;

        Side near = new Side(peer);
        Side far = new Side(owner);
        connect(near, far);
        MemoryRegion region = far.domain.register(segment, 0, segment.length(), AccessRight.BIND);
        MemoryWindow window = far.domain.allocateWindow();
        RemoteRegion advertised =
                window.bindFor(far.queuePair, region, SENTENCE_AT, SENTENCE.length(), AccessRight.REMOTE_READ);

        List<WalkStep> before = MemoryWalk.steps(space.translate(address), space.name(), kind);
        MemoryRegion sink = near.domain.allocate(PAGE_BYTES, AccessRight.LOCAL_WRITE);
        near.queuePair.postRead(1, sink, 0, SENTENCE.length(), advertised, 0, WrFlags.SIGNALLED);
        new CompletionWaiter(near.cq, PATIENCE, Duration.ZERO, stop).next("the bytes that the key is for");
        byte[] bytes = sink.segment().asSlice(0, SENTENCE.length()).toArray(ValueLayout.JAVA_BYTE);
        String allowed = new String(bytes, StandardCharsets.US_ASCII);
        List<WalkStep> after = MemoryWalk.steps(space.translate(address), space.name(), kind);

        near.queuePair.postRead(
                2, sink, 0, SENTENCE.length() + 1, advertised.address(), advertised.rkey(), WrFlags.SIGNALLED);
        String refused = refusal(near);
        VirtualMemoryFigures figures = memory.figures();
        boolean direct = segment.direct();
        region.close();
        return new Result(new Result.Walks(before, after), advertised, allowed, refused, figures, direct);
    }

    private static void connect(Side near, Side far) throws IOException, Failure {
        try (Listener listener = far.rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Connection connection =
                    near.rnic.startConnect(near.queuePair, listener.localAddress(), ConnectionOptions.defaults());
            listener.nextRequest(PATIENCE)
                    .orElseThrow(() -> new Failure("The connection request did not arrive"))
                    .startAccept(far.queuePair, ConnectionOptions.defaults());
            connection.awaitEstablished(PATIENCE);
        } catch (ConnectionException e) {
            throw new Failure("The two sides could not be connected: " + e.getMessage(), e);
        }
    }

    private static String refusal(Side near) throws Failure {
        CompletionCursor cursor = near.cq.cursor();
        if (!cursor.next() && !(near.cq.await(PATIENCE) && cursor.next())) {
            throw new Failure("The refusal did not arrive");
        }
        if (cursor.ok()) {
            throw new Failure("The peer could read one byte more than the key covers");
        }
        return cursor.reason();
    }

    /** One end. */
    private static final class Side {
        final Rnic rnic;
        final ProtectionDomain domain;
        final CompletionQueue cq;
        final QueuePair queuePair;

        Side(Rnic rnic) {
            this.rnic = rnic;
            domain = rnic.allocateProtectionDomain();
            cq = rnic.createCompletionQueue(16);
            queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
        }
    }
}
