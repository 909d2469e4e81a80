package io.verbena.host.segment;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.verbena.host.system.FileMapping;
import io.verbena.host.system.Linux;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A Unix socket between a process that owns a segment and one that opens it. It has an abstract name (unix(7)), which the
 * system removes when its process ends; the messages are whole or not there:
 *
 * <pre>
 *   Request   | magic 8 | secret 16            | writable 4 | zero 4 |
 *   Answer    | magic 8 | length 8 | outcome 8 | zero 8              |   and the descriptor of the memory (SCM_RIGHTS)
 * </pre>
 *
 * <p>An Answer with the outcome {@link #REVOKED} follows when the offer ends. The connection ends when the memory is unmapped, or with either
 * process. For one thread at a time.
 */
public final class SegmentSocket {

    public static final int OPENED = 0;
    static final int WRONG_SECRET = 1;
    static final int EXPIRED = 2;
    static final int USED_UP = 3;
    static final int READ_ONLY = 4;
    static final int OTHER_USER = 5;
    static final int REVOKED = 6;
    static final int NO_RESOURCES = 7;

    /** No descriptor in a message. */
    public static final int NO_MEMORY = -1;

    private static final long MAGIC = 0x3130_4745_5342_5256L; // "VRBSEG01"
    private static final int BYTES = 32;
    private static final int BACKLOG = 16;

    // struct msghdr, struct cmsghdr and struct ucred of 64-bit Linux.
    private static final int HEADER_BYTES = 56;
    private static final int CONTROL_HEADER_BYTES = 16;

    /** Space for one descriptor and not more: the system closes what does not fit. */
    private static final int CONTROL_BYTES = CONTROL_HEADER_BYTES + Integer.BYTES;

    private static final int CREDENTIAL_BYTES = 12;

    /** A request, or an answer with the descriptor that came with it. */
    record Message(long first, long second, int third, int memory) {}

    private final int fd;

    private SegmentSocket(int fd) {
        this.fd = fd;
    }

    public int fd() {
        return fd;
    }

    private static String name(long name) {
        return String.format("verbena-segment/%016x", name);
    }

    /** Listens at a name. */
    public static SegmentSocket listen(long name) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = Linux.newState(arena);
            SegmentSocket segmentSocket = new SegmentSocket(check(Linux.messageSocket(state), "socket"));
            boolean done = false;
            try {
                MemorySegment address = AbstractNames.address(arena, name(name));
                check(Linux.bind(state, segmentSocket.fd, address, (int) address.byteSize()), "bind");
                check(Linux.listen(state, segmentSocket.fd, BACKLOG), "listen");
                done = true;
                return segmentSocket;
            } finally {
                if (!done) {
                    segmentSocket.close();
                }
            }
        }
    }

    public static SegmentSocket open() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            return new SegmentSocket(check(Linux.messageSocket(Linux.newState(arena)), "socket"));
        }
    }

    /** Connects to a name: 0, {@code -EAGAIN} while too many others connect, or the reason why it fails. */
    public int connect(long name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = AbstractNames.address(arena, name(name));
            return Linux.connect(Linux.newState(arena), fd, address, (int) address.byteSize());
        }
    }

    /** The next connection, or an empty result: there is none, or no descriptor for it. */
    public Optional<SegmentSocket> accept() {
        try (Arena arena = Arena.ofConfined()) {
            int accepted = Linux.accept(Linux.newState(arena), fd);
            return accepted < 0 ? Optional.empty() : Optional.of(new SegmentSocket(accepted));
        }
    }

    /** The process at the other end, and its user, as the system knows them. */
    record Peer(int process, int user) {}

    Peer peer() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment credentials = arena.allocate(CREDENTIAL_BYTES, Integer.BYTES);
            MemorySegment length = arena.allocateFrom(JAVA_INT, CREDENTIAL_BYTES);
            check(
                    Linux.option(Linux.newState(arena), fd, Linux.SOL_SOCKET, Linux.SO_PEERCRED, credentials, length),
                    "getsockopt");
            return new Peer(credentials.get(JAVA_INT, 0), credentials.get(JAVA_INT, Integer.BYTES));
        }
    }

    /** Sends a request; returns a negative number if the system refuses. */
    public int request(long secretHigh, long secretLow, boolean writable) {
        return send(secretHigh, secretLow, writable ? 1 : 0, NO_MEMORY);
    }

    /** Sends an answer; returns a negative number if the system refuses. */
    public int answer(int outcome, long length, int memory) {
        return send(length, outcome, 0, memory);
    }

    private int send(long first, long second, int third, int memory) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(BYTES, Long.BYTES);
            bytes.set(JAVA_LONG, 0, MAGIC);
            bytes.set(JAVA_LONG, 8, first);
            bytes.set(JAVA_LONG, 16, second);
            bytes.set(JAVA_INT, 24, third);
            MemorySegment control = arena.allocate(CONTROL_BYTES, Long.BYTES);
            control.set(JAVA_LONG, 0, CONTROL_BYTES);
            control.set(JAVA_INT, 8, Linux.SOL_SOCKET);
            control.set(JAVA_INT, 12, Linux.SCM_RIGHTS);
            control.set(JAVA_INT, CONTROL_HEADER_BYTES, memory);
            MemorySegment header = header(arena, bytes, control, memory == NO_MEMORY ? 0 : CONTROL_BYTES);
            return Linux.sendmsg(Linux.newState(arena), fd, header, Linux.MSG_NOSIGNAL);
        }
    }

    private static MemorySegment header(Arena arena, MemorySegment bytes, MemorySegment control, int controlBytes) {
        MemorySegment piece = arena.allocate(Linux.IOVEC_BYTES, Long.BYTES);
        Linux.iovec(piece, 0, bytes.address(), bytes.byteSize());
        MemorySegment header = arena.allocate(HEADER_BYTES, Long.BYTES);
        header.set(JAVA_LONG, 16, piece.address());
        header.set(JAVA_LONG, 24, 1);
        header.set(JAVA_LONG, 32, control.address());
        header.set(JAVA_LONG, 40, controlBytes);
        return header;
    }

    /**
     * The next message; empty if there is none now. The receiver closes the descriptor that comes with it.
     *
     * @throws IOException if the connection has ended, or the message is none of these
     */
    public Optional<Message> receive() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(BYTES, Long.BYTES);
            MemorySegment control = arena.allocate(CONTROL_BYTES, Long.BYTES);
            MemorySegment header = header(arena, bytes, control, CONTROL_BYTES);
            int length = Linux.recvmsg(Linux.newState(arena), fd, header, Linux.MSG_CMSG_CLOEXEC);
            if (length == -Linux.EAGAIN || length == -Linux.EINTR) {
                return Optional.empty();
            }
            boolean carries = length >= 0
                    && header.get(JAVA_LONG, 40) >= CONTROL_BYTES
                    && control.get(JAVA_INT, 8) == Linux.SOL_SOCKET
                    && control.get(JAVA_INT, 12) == Linux.SCM_RIGHTS;
            int memory = carries ? control.get(JAVA_INT, CONTROL_HEADER_BYTES) : NO_MEMORY;
            if (length != BYTES || bytes.get(JAVA_LONG, 0) != MAGIC) {
                closeDescriptor(memory);
                throw new IOException(length <= 0 ? "the connection has ended" : "the other program is not Verbena");
            }
            return Optional.of(
                    new Message(bytes.get(JAVA_LONG, 8), bytes.get(JAVA_LONG, 16), bytes.get(JAVA_INT, 24), memory));
        }
    }

    public void close() {
        closeDescriptor(fd);
    }

    public static void closeDescriptor(int descriptor) {
        if (descriptor >= 0) {
            try (Arena arena = Arena.ofConfined()) {
                Linux.close(Linux.newState(arena), descriptor);
            }
        }
    }

    private static int check(int outcome, String call) throws IOException {
        return (int) FileMapping.check(outcome, call);
    }
}
