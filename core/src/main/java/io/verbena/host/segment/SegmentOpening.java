package io.verbena.host.segment;

import io.verbena.host.system.FileMapping;
import io.verbena.host.system.Linux;
import io.verbena.host.system.Sentences;
import io.verbena.memory.vmm.AddressLayout;
import io.verbena.memory.vmm.SharedSegments.Opened;
import io.verbena.verbs.SegmentToken;
import io.verbena.verbs.WaitInterruptedException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Memory of a segment of another process, and the connection to its owner, which ends when the memory is unmapped. Guarded by
 * the monitor of the loop.
 */
final class SegmentOpening implements Opened {

    private static final long TIMEOUT_NS = 5_000_000_000L;
    private static final long PAUSE_NS = 100_000;

    private final SegmentLoop loop;
    private final SegmentSocket socket;
    private final String owner;
    private final Arena arena;
    private final MemorySegment memory;
    private long watch;
    private boolean closed;
    private Optional<String> end = Optional.empty();
    private Optional<Consumer<String>> listener = Optional.empty();

    private SegmentOpening(SegmentLoop loop, SegmentSocket socket, String owner, Arena arena, MemorySegment memory) {
        this.loop = loop;
        this.socket = socket;
        this.owner = owner;
        this.arena = arena;
        this.memory = memory;
    }

    /** Opens a segment of a process of this user. */
    static SegmentOpening of(SegmentLoop loop, SegmentToken token, boolean writable, int user) throws IOException {
        SegmentSocket socket = SegmentSocket.open();
        boolean done = false;
        try {
            long deadlineNs = System.nanoTime() + TIMEOUT_NS;
            connect(socket, token, deadlineNs);
            SegmentSocket.Peer owner = socket.peer();
            if (owner.user() != user) {
                throw new IOException("the segment cannot be opened: it belongs to another user");
            }
            // An owner that does not want this process has ended the connection already, after its answer.
            socket.request(token.secretHigh(), token.secretLow(), writable);
            SegmentOpening segmentOpening = opened(loop, socket, answer(socket, deadlineNs), owner.process(), writable);
            done = true;
            return segmentOpening;
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    private static IOException notValid() {
        return new IOException("the segment cannot be opened: no process of this host and network namespace offers it;"
                + " the offer has ended, or its process");
    }

    private static void connect(SegmentSocket socket, SegmentToken token, long deadlineNs) throws IOException {
        while (true) {
            int outcome = socket.connect(token.name());
            if (outcome >= 0) {
                return;
            }
            if (outcome != -Linux.EAGAIN && outcome != -Linux.EINTR) {
                throw notValid();
            }
            pause(deadlineNs);
        }
    }

    private static SegmentSocket.Message answer(SegmentSocket socket, long deadlineNs) throws IOException {
        while (true) {
            Optional<SegmentSocket.Message> answer;
            try {
                answer = socket.receive();
            } catch (IOException e) {
                throw new IOException("the segment cannot be opened: " + e.getMessage(), e);
            }
            if (answer.isPresent()) {
                return answer.get();
            }
            pause(deadlineNs);
        }
    }

    private static void pause(long deadlineNs) throws IOException {
        if (Thread.currentThread().isInterrupted()) {
            throw new WaitInterruptedException();
        }
        if (System.nanoTime() - deadlineNs >= 0) {
            throw new IOException("the segment cannot be opened: its owner does not respond");
        }
        LockSupport.parkNanos(PAUSE_NS);
    }

    private static SegmentOpening opened(
            SegmentLoop loop, SegmentSocket socket, SegmentSocket.Message answer, int owner, boolean writable)
            throws IOException {
        try {
            String refusal = refusal((int) answer.second());
            if (!refusal.isEmpty()) {
                throw new IOException("the segment cannot be opened: " + refusal);
            }
            check(answer.memory(), answer.first());
            return map(loop, socket, answer, owner, writable);
        } finally {
            SegmentSocket.closeDescriptor(answer.memory());
        }
    }

    private static String refusal(int outcome) {
        return switch (outcome) {
            case SegmentSocket.OPENED -> "";
            case SegmentSocket.WRONG_SECRET -> "the token is not valid";
            case SegmentSocket.EXPIRED -> "the token has expired";
            case SegmentSocket.USED_UP ->
                "the token has been used; ask the owner for another one, or for more openings";
            case SegmentSocket.READ_ONLY -> "the offer is read-only";
            case SegmentSocket.OTHER_USER -> "it belongs to another user";
            case SegmentSocket.REVOKED -> "the offer has ended";
            default -> "its owner has no descriptor for it, or is another version";
        };
    }

    /** What the owner sends could be any file: only memory that stays is mapped. */
    private static void check(int memory, long length) throws IOException {
        try (Arena call = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(call);
            if (memory < 0 || !Linux.keepsItsSize(state, memory)) {
                throw new IOException("the segment cannot be opened: its owner sent no memory with a final size");
            }
            if (length < 1 || length > AddressLayout.MOST_SEGMENT_BYTES || Linux.size(state, memory) != length) {
                throw new IOException("the segment cannot be opened: its memory has " + Linux.size(state, memory)
                        + " bytes and not " + length);
            }
        }
    }

    private static SegmentOpening map(
            SegmentLoop loop, SegmentSocket socket, SegmentSocket.Message answer, int owner, boolean writable)
            throws IOException {
        Arena arena = Arena.ofShared();
        boolean done = false;
        try {
            MemorySegment memory = mapped(answer, writable, arena);
            SegmentOpening segmentOpening = new SegmentOpening(loop, socket, "process " + owner, arena, memory);
            segmentOpening.watch();
            done = true;
            return segmentOpening;
        } finally {
            if (!done) {
                arena.close();
            }
        }
    }

    private static MemorySegment mapped(SegmentSocket.Message answer, boolean writable, Arena arena)
            throws IOException {
        try {
            return FileMapping.map(answer.memory(), answer.first(), writable, arena, () -> {});
        } catch (IOException e) {
            throw new IOException("the segment cannot be opened: " + Sentences.reason(e), e);
        }
    }

    private void watch() throws IOException {
        synchronized (loop) {
            watch = loop.watch(socket.fd(), this::ready);
        }
    }

    /** The owner sends nothing but the end of the offer. */
    private void ready() {
        if (end.isEmpty()) {
            try {
                Optional<SegmentSocket.Message> message = socket.receive();
                if (message.isEmpty()) {
                    return;
                }
                SegmentSocket.closeDescriptor(message.get().memory());
                end = Optional.of("its owner, " + owner + ", has ended the offer");
            } catch (IOException e) {
                end = Optional.of("its owner, " + owner + ", has ended");
            }
        }
        report();
        loop.unwatch(watch); // last: what fails before it is repeated
    }

    private void report() {
        if (end.isPresent() && listener.isPresent()) {
            Consumer<String> target = listener.get();
            String reason = end.get();
            Thread thread = new Thread(() -> target.accept(reason), "verbena-segment-end");
            thread.setDaemon(true);
            thread.start();
            listener = Optional.empty();
        }
    }

    @Override
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public void onEnd(Consumer<String> target) {
        synchronized (loop) {
            if (!closed) {
                listener = Optional.of(target);
                report();
            }
        }
    }

    @Override
    public void giveBack() {
        synchronized (loop) {
            if (closed) {
                return;
            }
            arena.close(); // fails while the program uses the memory in a call of foreign code: the caller tries again
            closed = true;
            listener = Optional.empty();
            loop.unwatch(watch);
            socket.close();
        }
    }
}
