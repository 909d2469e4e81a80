package io.verbena.storage.device;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Replays what {@link RecordingDevice} recorded, one command at a time, onto a device of the same size. */
public final class RecordReplay {
    private static final int MOST_BLOCKS = 1 << 16;

    private final ReadableByteChannel in;
    private final BlockDevice device;
    private final ByteBuffer header = ByteBuffer.allocate(RecordEntry.LENGTH);
    private boolean flush;

    /** Replays from the start of a channel. */
    public RecordReplay(ReadableByteChannel in, BlockDevice device) {
        this.in = in;
        this.device = device;
    }

    /**
     * Replays the next command. Returns false at the end of the record; a last command that was recorded in part, because the recording
     * process was killed, is the end too.
     *
     * @throws BadRecordException if the bytes are not a record, or one of a device of another size
     */
    public boolean next() throws IOException {
        flush = false;
        if (!readFully(header.clear())) {
            return false;
        }
        RecordEntry entry = RecordEntry.readFrom(header.flip(), device);
        ByteBuffer data = ByteBuffer.allocate(entry.dataBytes());
        if (!readFully(data)) {
            return false;
        }
        DeviceStatus status = apply(entry, MemorySegment.ofBuffer(data.flip()));
        if (status != DeviceStatus.DONE) {
            throw new IOException("The disk did not execute a recorded command on " + entry.blocks()
                    + " blocks from block " + entry.block() + ": " + status + ".");
        }
        flush = entry.kind() == RecordEntry.Kind.FLUSH;
        return true;
    }

    /** Whether the last command was a flush: a host relies on all earlier writes from here on. */
    public boolean atFlush() {
        return flush;
    }

    private DeviceStatus apply(RecordEntry entry, MemorySegment data) {
        return switch (entry.kind()) {
            case WRITE -> device.write(entry.block(), (int) entry.blocks(), data, 0, entry.durable());
            case WRITE_ZEROES -> device.writeZeroes(entry.block(), (int) entry.blocks(), entry.durable());
            case DEALLOCATE -> deallocate(entry);
            case FLUSH -> device.flush();
        };
    }

    /** The blocks of the recorded device were zeros afterwards. */
    private DeviceStatus deallocate(RecordEntry entry) {
        if (device.deallocates()) {
            return device.deallocate(entry.block(), entry.blocks());
        }
        DeviceStatus status = DeviceStatus.DONE;
        for (long done = 0; done < entry.blocks() && status == DeviceStatus.DONE; done += MOST_BLOCKS) {
            int count = (int) Math.min(MOST_BLOCKS, entry.blocks() - done);
            status = device.writeZeroes(entry.block() + done, count, false);
        }
        return status;
    }

    private boolean readFully(ByteBuffer into) throws IOException {
        while (into.hasRemaining()) {
            if (in.read(into) < 0) {
                return false;
            }
        }
        return true;
    }
}
