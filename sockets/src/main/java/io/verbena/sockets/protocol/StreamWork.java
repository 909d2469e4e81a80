package io.verbena.sockets.protocol;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** What to post next. One object is filled again and again, so that work costs no allocation. */
public final class StreamWork {

    /** The shapes of work. */
    public enum Kind {
        /** An RDMA Write of {@link #length} bytes from {@link #memory}, then the message. */
        DATA,
        /** A Send of {@link #length} bytes from {@link #memory}, without a message: data that are short. */
        SHORT,
        /** An RDMA Write of {@link #entry}, then the message. */
        TARGET,
        /** The message alone. */
        MESSAGE,
        /** An RDMA Write of 0 bytes: the peer is still there if it is acknowledged. */
        PROBE,
        /** An RDMA Read of 0 bytes: when it completes, everything before it has arrived at the peer. */
        CONFIRM
    }

    private final MemorySegment entry = Arena.ofAuto().allocate(TargetEntry.LENGTH, Long.BYTES);

    /** The bytes of {@link #entry}. */
    final ByteBuffer entryBytes = entry.asByteBuffer();

    Kind kind = Kind.MESSAGE;
    private StreamMemory memory;
    private long offset;
    private int length;
    private long remoteAddress;
    private int remoteKey;
    private int message;
    boolean signalled;
    boolean followed;
    long id;

    /** Empty; {@code any} stands for memory until {@code StreamEngine.nextWork} fills this. */
    public StreamWork(StreamMemory any) {
        memory = any;
    }

    public Kind kind() {
        return kind;
    }

    /** Of data: where the bytes are. */
    public StreamMemory memory() {
        return memory;
    }

    /** Of data: offset of the first byte in {@link #memory}. */
    public long offset() {
        return offset;
    }

    /** Of data: number of bytes. */
    public int length() {
        return length;
    }

    /** Of {@link Kind#TARGET}: the 16 bytes to write. */
    public MemorySegment entry() {
        return entry;
    }

    /** Where the peer's memory is written. */
    public long remoteAddress() {
        return remoteAddress;
    }

    public int remoteKey() {
        return remoteKey;
    }

    public int message() {
        return message;
    }

    /** Whether the completion is needed. */
    public boolean signalled() {
        return signalled;
    }

    /** Whether data follow at once, which leave together with this if both are posted in one batch. */
    public boolean followed() {
        return followed;
    }

    /** The number to give to {@code StreamEngine.onWorkDone}. */
    public long id() {
        return id;
    }

    void data(StreamMemory from, long fromOffset, int bytes) {
        kind = Kind.DATA;
        memory = from;
        offset = fromOffset;
        length = bytes;
        message = StreamMessage.of(StreamMessage.DATA, bytes); // of a Send, for people
    }

    /** The data are a Send. */
    void shortData() {
        kind = Kind.SHORT;
        remote(0, 0);
    }

    void remote(long address, int key) {
        remoteAddress = address;
        remoteKey = key;
    }

    void target(int credits) {
        kind = Kind.TARGET;
        message = StreamMessage.of(StreamMessage.CREDITS, credits);
    }

    void message(int word) {
        kind = Kind.MESSAGE;
        remote(0, 0);
        message = word;
    }

    void probe() {
        kind = Kind.PROBE;
        remote(0, 0);
    }

    void confirm() {
        kind = Kind.CONFIRM;
        remote(0, 0);
    }

    @Override
    public String toString() {
        return kind == Kind.DATA || kind == Kind.TARGET
                ? "%s to %x/%08x, %s".formatted(kind, remoteAddress, remoteKey, StreamMessage.describe(message))
                : kind + " " + StreamMessage.describe(message);
    }
}
